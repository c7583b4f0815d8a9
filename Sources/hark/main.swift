import HarkTool

HarkTool.main()
