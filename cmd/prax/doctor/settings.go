package doctor

import "context"

// settings are what is set in vain, and what keeps /mcp away.
func (x *examination) settings(context.Context) {
	x.looked("settings")
	for _, text := range x.Unread {
		x.found(Warning, UnknownSetting, "", "prax config show lists the settings", "%s", text)
	}
	for _, f := range x.Judged {
		x.found(f.Severity, f.Code, f.File, f.Hint, "%s", f.Text)
	}
	const enable = "MCP_SERVER_ENABLED=true, in config.env or in the environment of prax serve"
	switch {
	case x.Server == nil && !x.Enabled:
		x.found(Warning, Off, "", enable, "MCP_SERVER_ENABLED is not true: /mcp would answer 404")
	case x.Server != nil && !x.Server.Enabled:
		x.found(Warning, Off, "", enable+"; prax client list says who is live",
			"/mcp of the running server answers 404: MCP_SERVER_ENABLED is not true for it, or no client has been live")
	}
	if x.Server != nil && x.Server.Version != x.Version {
		x.found(Warning, OtherVersion, "", "restart the server", "the running server is prax %s, and this is prax %s", x.Server.Version, x.Version)
	}
}
