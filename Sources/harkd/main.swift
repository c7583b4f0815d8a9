import Glibc
import HarkDaemon

exit(HarkDaemonCommand.run(CommandLine.arguments))
