from bench.real_sdks.run import main

main()
