from bench.poison.command_line import main

main()
