package keymap

// actions is the one table. Its order is the order of help and documents.
func actions() []Action {
	in := func(s ...Scope) []Scope { return s }
	keys := func(k ...string) []string { return k }
	words := keys
	return []Action{
		{Name: "up", Keys: keys("up", "k"), Scopes: in(List), Group: Move, Short: "up", Help: "Go one row up."},
		{Name: "down", Keys: keys("down", "j"), Scopes: in(List), Group: Move, Short: "down", Help: "Go one row down."},
		{Name: "left", Keys: keys("left", "h"), Scopes: in(List), Group: Move, Short: "left", Help: "Go to the pane on the left, or close the lane."},
		{Name: "right", Keys: keys("right", "l"), Scopes: in(List), Group: Move, Short: "right", Help: "Go to the pane on the right, or open the lane."},
		{Name: "top", Keys: keys("g", "home"), Scopes: in(List), Group: Move, Short: "top", Help: "Go to the first row.", Synonyms: words("first", "oldest")},
		{Name: "bottom", Keys: keys("G", "end"), Scopes: in(List), Group: Move, Short: "bottom", Help: "Go to the last row, and follow again.", Synonyms: words("last", "newest", "follow")},
		{Name: "page-up", Keys: keys("pgup", "ctrl+b"), Scopes: in(List), Group: Move, Short: "page up", Help: "Go one page up."},
		{Name: "page-down", Keys: keys("pgdown", "ctrl+f"), Scopes: in(List), Group: Move, Short: "page down", Help: "Go one page down."},
		{Name: "next-pane", Keys: keys("tab"), Scopes: in(Global), Group: Move, Short: "next pane", Help: "Go to the next pane."},
		{Name: "previous-pane", Keys: keys("shift+tab"), Scopes: in(Global), Group: Move, Short: "previous pane", Help: "Go to the pane before."},
		{Name: "pane-1", Keys: keys("1"), Scopes: in(Global), Group: Move, Short: "events", Help: "Go to Events."},
		{Name: "pane-2", Keys: keys("2"), Scopes: in(Global), Group: Move, Short: "planes", Help: "Go to Planes."},
		{Name: "pane-3", Keys: keys("3"), Scopes: in(Global), Group: Move, Short: "lanes", Help: "Go to Lanes."},
		{Name: "pane-4", Keys: keys("4"), Scopes: in(Global), Group: Move, Short: "leases", Help: "Go to Leases."},
		{Name: "pane-5", Keys: keys("5"), Scopes: in(Global), Group: Move, Short: "fleet", Help: "Go to Fleet."},
		{Name: "pane-6", Keys: keys("6"), Scopes: in(Global), Group: Move, Short: "needs you", Help: "Go to Needs you."},
		{Name: "next-problem", Keys: keys("]"), Scopes: in(Global), Group: Move, Short: "next problem", Help: "Go to the next problem, in whatever pane it is.", Synonyms: words("error", "fault")},
		{Name: "previous-problem", Keys: keys("["), Scopes: in(Global), Group: Move, Short: "previous problem", Help: "Go to the problem before.", Synonyms: words("error", "fault")},

		{Name: "open", Keys: keys("enter"), Scopes: in(List), Group: See, Short: "open", Help: "Open the detail of the row, or open and close a lane.", Rank: 20, Synonyms: words("show", "view", "inspect", "details")},
		{Name: "back", Keys: keys("esc"), Scopes: in(Global), Group: See, Short: "back", Help: "Close what is open, then the filter, then the zoom.", Synonyms: words("dismiss", "escape")},
		{Name: "filter", Keys: keys("/"), Scopes: in(Global), Group: See, Short: "filter", Help: "Filter the events; the same language serves the command line.", Rank: 30, Synonyms: words("search", "grep", "find")},
		{Name: "next-match", Keys: keys("n"), Scopes: in(Global), Group: See, Short: "next match", Help: "Go to the next row that the filter's words match.", Synonyms: words("search next")},
		{Name: "previous-match", Keys: keys("N"), Scopes: in(Global), Group: See, Short: "previous match", Help: "Go to the match before.", Synonyms: words("search previous")},
		{Name: "pause", Keys: keys("p"), Scopes: in(Events), Group: See, Short: "pause", Help: "Pause the events, or follow them again.", Rank: 25, Synonyms: words("freeze", "stop scrolling", "resume")},
		{Name: "times", Keys: keys("t"), Scopes: in(Global), Group: See, Short: "times", Help: "Show times as ages or as clock times.", Synonyms: words("clock", "age", "date")},
		{Name: "zoom", Keys: keys("z"), Scopes: in(Global), Group: See, Short: "zoom", Help: "Let the pane fill the screen, or give the others their room back.", Synonyms: words("fullscreen", "maximize")},
		{Name: "theme", Keys: keys("T"), Scopes: in(Global), Group: See, Short: "theme", Help: "Change to the next theme.", Synonyms: words("colour", "color", "dark", "light")},
		{Name: "mouse", Keys: keys("M"), Scopes: in(Global), Group: See, Short: "mouse", Help: "Turn the mouse off, so that the terminal can select text, or on again.", Synonyms: words("select text")},
		{Name: "cause", Keys: keys("<"), Scopes: in(Detail, Record), Group: See, Short: "cause", Help: "Go to what caused this event.", Rank: 21, Named: in(Detail), Synonyms: words("parent", "origin", "because")},
		{Name: "effect", Keys: keys(">"), Scopes: in(Detail, Record), Group: See, Short: "effect", Help: "Go to what this event caused.", Rank: 22, Named: in(Detail), Synonyms: words("result", "consequence")},
		{Name: "alarms", Keys: keys("!"), Scopes: in(Global), Group: See, Short: "alarms", Help: "Show the alarms and the verification's finding in full.", Synonyms: words("health", "warnings", "errors")},
		{Name: "fetch", Keys: keys("F"), Scopes: in(Fleet), Group: See, Short: "fetch", Help: "Fetch the fleet map from the remote now.", Rank: 10, Synonyms: words("pull", "refresh", "update")},

		{Name: "requeue", Keys: keys("r"), Scopes: in(Directive), Group: Queue, Short: "requeue", Help: "Give a taken or parked directive back to its lane.", Changes: true, Rank: 1, Synonyms: words("retry", "return", "unpark", "again")},
		{Name: "drop", Keys: keys("d"), Scopes: in(Directive), Group: Queue, Short: "drop", Help: "Drop the directive for good.", Changes: true, Rank: 2, Synonyms: words("delete", "remove", "cancel", "kill")},
		{Name: "raise", Keys: keys("+", "="), Scopes: in(Directive), Group: Queue, Short: "priority", Help: "Raise the priority by one step.", Changes: true, Rank: 3, Synonyms: words("priority", "urgent", "order", "sort", "promote")},
		{Name: "lower", Keys: keys("-"), Scopes: in(Directive), Group: Queue, Short: "priority", Help: "Lower the priority by one step.", Changes: true, Rank: 4, Synonyms: words("priority", "order", "sort", "demote")},
		{Name: "defer", Keys: keys("f"), Scopes: in(Directive), Group: Queue, Short: "defer", Help: "Defer the directive for a time or until others are done.", Changes: true, Rank: 6, Synonyms: words("snooze", "postpone", "later", "wait", "block")},
		{Name: "extend", Keys: keys("L"), Scopes: in(Lease), Group: Queue, Short: "extend", Help: "Extend the lease.", Changes: true, Rank: 7, Synonyms: words("touch", "renew", "lease", "prolong")},
		{Name: "push", Keys: keys("a"), Scopes: in(Global), Group: Queue, Short: "push", Help: "Push a new directive into a lane.", Changes: true, Rank: 28, Synonyms: words("add", "new", "create", "enqueue")},
		{Name: "why", Keys: keys("w"), Scopes: in(Directive), Group: Queue, Short: "why", Help: "Say why the directive stands where it stands.", Rank: 5, Synonyms: words("explain", "reason", "blocked")},

		{Name: "claim", Keys: keys("c"), Scopes: in(Signal), Group: Signals, Short: "claim", Help: "Claim a pending signal.", Changes: true, Rank: 1, Synonyms: words("lock", "take", "acknowledge", "ack")},
		{Name: "clear", Keys: keys("x"), Scopes: in(Signal), Group: Signals, Short: "clear", Help: "Clear a claimed signal.", Changes: true, Rank: 2, Synonyms: words("resolve", "close", "done", "fix")},
		{Name: "release", Keys: keys("v"), Scopes: in(Signal), Group: Signals, Short: "release", Help: "Give a claimed signal back.", Changes: true, Rank: 3, Synonyms: words("unlock", "unclaim", "give back")},

		{Name: "mark", Keys: keys("space"), Scopes: in(Record), Group: Several, Short: "mark", Help: "Mark or unmark the row and step down; an action applies to all marked rows.", Synonyms: words("select", "tag")},
		{Name: "unmark-all", Keys: keys("U"), Scopes: in(Global), Group: Several, Short: "unmark all", Help: "Take every mark away.", Synonyms: words("deselect", "clear marks")},
		{Name: "undo", Keys: keys("u"), Scopes: in(Global), Group: Several, Short: "undo", Help: "Undo the last action by its opposite, as long as it still can be.", Changes: true, Rank: 27, Synonyms: words("revert", "back out")},

		{Name: "copy-id", Keys: keys("y"), Scopes: in(Record), Group: Out, Short: "copy id", Help: "Copy the id through the terminal.", Synonyms: words("yank", "clipboard")},
		{Name: "copy-json", Keys: keys("Y"), Scopes: in(Record), Group: Out, Short: "copy JSON", Help: "Copy the JSON through the terminal.", Synonyms: words("yank", "clipboard")},
		{Name: "edit", Keys: keys("e"), Scopes: in(Record), Group: Out, Short: "pager", Help: "Open it in $PAGER or $EDITOR.", Synonyms: words("pager", "editor", "less", "view json")},

		{Name: "palette", Keys: keys(":"), Scopes: in(Global), Group: Program, Short: "do", Help: "Find any action or command by its name.", Rank: 40, Synonyms: words("commands", "menu")},
		{Name: "help", Keys: keys("?"), Scopes: in(Global), Group: Program, Short: "help", Help: "Show every key.", Rank: 50, Synonyms: words("keys", "shortcuts", "bindings")},
		{Name: "reopen", Keys: keys("R"), Scopes: in(Global), Group: Program, Short: "reopen", Help: "Open the workspace anew, when it was deleted, replaced or moved.", Synonyms: words("reload", "reconnect")},
		{Name: "redraw", Keys: keys("ctrl+l"), Scopes: in(Always), Group: Program, Short: "redraw", Help: "Draw the whole screen anew.", Synonyms: words("repaint", "refresh")},
		{Name: "suspend", Keys: keys("ctrl+z"), Scopes: in(Always), Group: Program, Short: "suspend", Help: "Give the terminal back to the shell; fg returns.", Synonyms: words("background", "shell")},
		{Name: "quit", Keys: keys("q"), Scopes: in(Global), Group: Program, Short: "quit", Help: "Leave the cockpit.", Rank: 60, Synonyms: words("exit", "leave", "bye")},
		{Name: "interrupt", Keys: keys("ctrl+c"), Scopes: in(Always), Group: Program, Short: "quit", Help: "Leave the cockpit at once."},

		{Name: "next-button", Keys: keys("tab", "right", "l"), Scopes: in(Dialog), Group: Typing, Short: "next", Help: "Go to the next button."},
		{Name: "previous-button", Keys: keys("shift+tab", "left", "h"), Scopes: in(Dialog), Group: Typing, Short: "previous", Help: "Go to the button before."},
		{Name: "press", Keys: keys("enter"), Scopes: in(Dialog), Group: Typing, Short: "press", Help: "Press the button.", Rank: 1},
		{Name: "dismiss", Keys: keys("esc"), Scopes: in(Dialog), Group: Typing, Short: "cancel", Help: "Close the dialog; nothing happens.", Rank: 2},
		{Name: "accept", Keys: keys("enter"), Scopes: in(Input), Group: Typing, Short: "accept", Help: "Take what was typed.", Rank: 1},
		{Name: "cancel", Keys: keys("esc"), Scopes: in(Input), Group: Typing, Short: "cancel", Help: "Leave the input; what was before stays.", Rank: 2},
		{Name: "next-choice", Keys: keys("down", "ctrl+n"), Scopes: in(Input), Group: Typing, Short: "next", Help: "Go to the next choice, or to newer history."},
		{Name: "previous-choice", Keys: keys("up", "ctrl+p"), Scopes: in(Input), Group: Typing, Short: "previous", Help: "Go to the choice before, or to older history."},
		{Name: "complete", Keys: keys("tab"), Scopes: in(Input), Group: Typing, Short: "complete", Help: "Complete the word, or go to the next field.", Rank: 3},
		{Name: "editor", Keys: keys("ctrl+e"), Scopes: in(Input), Group: Typing, Short: "$EDITOR", Help: "Write a directive's body in $EDITOR."},
		{Name: "make", Keys: keys("y"), Scopes: in(Dialog), Group: Typing, Short: "make it", Help: "Make a workspace, where the cockpit offers to."},
		{Name: "previous-field", Keys: keys("shift+tab"), Scopes: in(Input), Group: Typing, Short: "field before", Help: "Go to the field before."},
	}
}
