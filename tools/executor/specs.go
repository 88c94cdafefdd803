package executor

import "prax/tools/workflow"

// Specs are the kinds of executor with an effect, and of connections, that there are.
func Specs() workflow.Specs {
	return workflow.Specs{
		Executors: map[string]func() workflow.Spec{
			kindCLI:    func() workflow.Spec { return new(CLI) },
			kindScript: func() workflow.Spec { return new(Script) },
			kindREST:   func() workflow.Spec { return new(REST) },
			kindTool:   func() workflow.Spec { return new(Tool) },
		},
		Connections: map[string]func() workflow.ConnectionSpec{
			kindCLI:  func() workflow.ConnectionSpec { return new(CLIConnection) },
			kindREST: func() workflow.ConnectionSpec { return new(RESTConnection) },
		},
	}
}
