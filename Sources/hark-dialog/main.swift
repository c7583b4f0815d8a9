import HarkDialog

HarkDialogCommand.main()
