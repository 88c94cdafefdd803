package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// answering bounds the wait for tailscale.
const answering = 3 * time.Second

// served is what `tailscale serve status --json` prints, as far as it is of use: by host:port what is there, and which of
// those are open to the internet. Foreground ones have sections of the same kind, by session.
type served struct {
	TCP map[string]struct {
		TCPForward string `json:"TCPForward"`
	} `json:"TCP"`
	Web map[string]struct {
		Handlers map[string]struct {
			Proxy string `json:"Proxy"`
		} `json:"Handlers"`
	} `json:"Web"`
	AllowFunnel map[string]bool   `json:"AllowFunnel"`
	Foreground  map[string]served `json:"Foreground"`
}

// tailscale is what `tailscale serve` hands on to our port, where there is such a command.
func (x *examination) tailscale(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	text, err := x.Machine.Run(ctx, "tailscale", "serve", "status", "--json")
	expected := strings.HasSuffix(hostOf(x.Public), ".ts.net")
	var s served
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &s)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil && !expected:
		x.looked("tailscale (it does not answer)")
		return
	case err != nil:
		x.found(Warning, TailscaleSilent, "", "tailscale status", "PRAX_PUBLIC_URL is a name of a tailnet, and tailscale serve status does not answer")
		return
	}
	names, open := s.to(x.ours())
	x.looked(tailnet(names))
	if len(open) > 0 {
		x.found(Warning, Funnel, "", "tailscale funnel --https="+portOf(open[0])+" off",
			"THE INTERNET reaches this server: tailscale funnel is on for %s, and everybody may try tokens", some(open))
	}
	if expected && len(names) == 0 {
		x.found(Warning, NotServed, "", "tailscale serve --bg http://127.0.0.1:"+portOf(x.ours()),
			"PRAX_PUBLIC_URL is %s, and tailscale serve hands nothing on to port %s", x.Public, portOf(x.ours()))
	}
}

func tailnet(names []string) string {
	if len(names) == 0 {
		return "tailscale (nothing is handed on to this server)"
	}
	return "tailscale (" + some(names) + " is handed on to this server)"
}

// to is what is handed on to addr, and the part of that which is open to the internet, each as host:port.
func (s served) to(addr string) (names, open []string) {
	for name, web := range s.Web {
		for _, h := range web.Handlers {
			if meets(h.Proxy, addr) {
				names = append(names, name)
				break
			}
		}
	}
	for port, tcp := range s.TCP {
		if tcp.TCPForward != "" && meets(tcp.TCPForward, addr) {
			names = append(names, ":"+port)
		}
	}
	for _, name := range names {
		for allowed, on := range s.AllowFunnel {
			if on && portOf(allowed) == portOf(name) {
				open = append(open, allowed)
			}
		}
	}
	for _, session := range s.Foreground {
		more, moreOpen := session.to(addr)
		names, open = append(names, more...), append(open, moreOpen...)
	}
	return sorted(names), sorted(open)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// meets tells whether a target, as http://localhost:8808/path or 127.0.0.1:8808, is where a server of this machine
// listens that listens at addr.
func meets(target, addr string) bool {
	if _, rest, found := strings.Cut(target, "://"); found {
		target = rest
	}
	target, _, _ = strings.Cut(target, "/")
	host, port, err := net.SplitHostPort(target)
	if err != nil || port != portOf(addr) {
		return false
	}
	ip := net.ParseIP(host)
	listens, _, _ := net.SplitHostPort(addr)
	return host == "localhost" || ip.IsLoopback() || host == listens
}

// ours is where the server of this data listens, or would.
func (x *examination) ours() string {
	if x.Server != nil {
		return x.Server.Addr
	}
	return x.Addr
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
