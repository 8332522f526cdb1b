package themes

// Builtin lists the names that Load knows by itself; auto is dark or light.
func Builtin() []string { return []string{"auto", "dark", "light", "ansi", "mono"} }

// Dark is for dark grounds.
func Dark() Theme { return build("dark", darkSpecs(), renderer()) }

// Light is for light grounds.
func Light() Theme { return build("light", lightSpecs(), renderer()) }

// ANSI uses the terminal's own sixteen colours and nothing else, so it follows
// whatever scheme the terminal has.
func ANSI() Theme { return build("ansi", ansiSpecs(), renderer()) }

// Mono uses attributes and no colour.
func Mono() Theme { return build("mono", monoSpecs(), renderer()) }

func builtinSpecs(name string) (palette[string], bool) {
	switch name {
	case "dark":
		return darkSpecs(), true
	case "light":
		return lightSpecs(), true
	case "ansi":
		return ansiSpecs(), true
	case "mono":
		return monoSpecs(), true
	}
	return palette[string]{}, false
}

func darkSpecs() palette[string] {
	return palette[string]{
		Text: "plain", Muted: "#9aa2b0", Strong: "bold #ffffff",
		Border: "#5c6470", Title: "#c3cad6", Focus: "#7cb7ff", FocusHead: "bold #ffffff",
		Selected: "bold #ffffff on #264f78", Resting: "#ffffff on #3a3f4b", Marked: "bold #ffd479",
		Match: "bold #16181d on #ffd479", Key: "bold #7cb7ff", Button: "#c3cad6 on #3a3f4b",
		Pressed: "bold #16181d on #7cb7ff", Cursor: "reverse",
		OK: "#7fd88f", Info: "#6cc7f5", Accent: "#c9a6ff", Warn: "#ffc66d", Danger: "bold #ff8a8a", Stale: "#d9a05b",
		Bar: "#7fd88f", BarLow: "#ff8a8a", BarRest: "#5c6470",
		Note: "#b9c2cf", Signal: "bold #ffc66d", Metric: "#6cc7f5", Work: "#c9a6ff", Generic: "#a0a8b5",
		Directive: "#8fd7c0", Coord: "#f2a6cf", System: "#d0d58a",
		JSONKey: "#8fc4ff", JSONString: "#9fdc9f", JSONNumber: "#f2b680",
	}
}

func lightSpecs() palette[string] {
	return palette[string]{
		Text: "plain", Muted: "#636b78", Strong: "bold #000000",
		Border: "#8a919c", Title: "#3b4250", Focus: "#0b5fc4", FocusHead: "bold #000000",
		Selected: "bold #000000 on #bcd9f7", Resting: "#1c2026 on #dde1e7", Marked: "bold #7a4b00",
		Match: "bold #000000 on #ffd866", Key: "bold #0b57b5", Button: "#1c2026 on #dde1e7",
		Pressed: "bold #ffffff on #0b57b5", Cursor: "reverse",
		OK: "#14692b", Info: "#0a5a85", Accent: "#6a35b0", Warn: "#7f4a00", Danger: "bold #a81420", Stale: "#7a5210",
		Bar: "#14692b", BarLow: "#a81420", BarRest: "#8a919c",
		Note: "#3f4754", Signal: "bold #7f4a00", Metric: "#0a5a85", Work: "#6a35b0", Generic: "#525a66",
		Directive: "#0b6153", Coord: "#94216b", System: "#5a5a00",
		JSONKey: "#0b4fa0", JSONString: "#1c6323", JSONNumber: "#8a3d00",
	}
}

func ansiSpecs() palette[string] {
	return palette[string]{
		Text: "plain", Muted: "faint", Strong: "bold",
		Border: "faint", Title: "plain", Focus: "blue", FocusHead: "bold",
		Selected: "reverse bold", Resting: "reverse faint", Marked: "bold yellow",
		Match: "black on yellow", Key: "bold blue", Button: "reverse faint", Pressed: "bold reverse", Cursor: "reverse",
		OK: "green", Info: "cyan", Accent: "magenta", Warn: "yellow", Danger: "bold red", Stale: "yellow",
		Bar: "green", BarLow: "red", BarRest: "faint",
		Note: "plain", Signal: "bold yellow", Metric: "cyan", Work: "magenta", Generic: "faint",
		Directive: "green", Coord: "blue", System: "yellow",
		JSONKey: "blue", JSONString: "green", JSONNumber: "yellow",
	}
}

func monoSpecs() palette[string] {
	return palette[string]{
		Text: "plain", Muted: "faint", Strong: "bold",
		Border: "faint", Title: "plain", Focus: "bold", FocusHead: "bold underline",
		Selected: "reverse", Resting: "underline", Marked: "bold",
		Match: "underline bold", Key: "bold", Button: "plain", Pressed: "reverse bold", Cursor: "reverse",
		OK: "plain", Info: "plain", Accent: "plain", Warn: "bold", Danger: "bold underline", Stale: "faint underline",
		Bar: "plain", BarLow: "bold", BarRest: "faint",
		Note: "plain", Signal: "bold", Metric: "plain", Work: "plain", Generic: "faint",
		Directive: "plain", Coord: "plain", System: "plain",
		JSONKey: "bold", JSONString: "plain", JSONNumber: "plain",
	}
}
