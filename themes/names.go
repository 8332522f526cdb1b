package themes

import "reflect"

// StyleNames lists the names that a theme's file may set under [styles].
func StyleNames() []string {
	t := reflect.TypeFor[palette[spec]]()
	out := make([]string, t.NumField())
	for i := range out {
		out[i] = t.Field(i).Tag.Get("toml")
	}
	return out
}
