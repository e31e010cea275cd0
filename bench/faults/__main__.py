from bench.faults.command_line import main

main()
