// Package themes holds colours and styles by what they mean: ok, warn, danger,
// muted, selected. A view asks for a meaning and never for a colour.
//
// What it promises:
//
//   - A Theme and a Style are values; nothing in here changes after it was
//     made, and there is no global theme.
//   - A Style is two strings that were made once, by a lipgloss renderer with a
//     fixed true colour profile, so neither the terminal nor the environment
//     changes what a view returns. Colours are fitted to the terminal's depth
//     when bytes are made, elsewhere.
//   - The terminal is never asked for anything: `auto` looks at COLORFGBG.
//   - The mono theme uses attributes only, the ansi theme the terminal's own
//     sixteen colours only. Whatever a colour says, a word or a shape says too.
//   - A user's theme that has a mistake is refused, with its line.
package themes
