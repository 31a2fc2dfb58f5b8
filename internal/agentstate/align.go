package agentstate

import "slices"

// align says for each prompt which turn entry says the same, -1 for none. It
// first trusts what occurs once in both (in rising order), then, between those,
// takes repeated texts in order: these are the anchors, which rise. Last it joins
// whatever is left over with the same words, wherever it stands. Time is n log n.
func align(turns, prompts []entry) (match, anchors []int) {
	match = make([]int, len(prompts))
	for p := range match {
		match[p] = -1
	}
	at := map[key][]int{}
	for t := range turns {
		if turns[t].key != (key{}) {
			at[turns[t].key] = append(at[turns[t].key], t)
		}
	}
	used := make([]bool, len(turns))
	join := func(p, t int) {
		match[p], used[t] = t, true
		fill(&turns[t], &prompts[p])
	}
	for _, pair := range unique(prompts, at) {
		join(pair[0], pair[1])
	}
	next := -1 // repeated texts: the first unused place between the anchors around them
	limits := ceilings(match, len(turns))
	for p := range prompts {
		if match[p] >= 0 {
			next = match[p]
			continue
		}
		places := at[prompts[p].key]
		i, _ := slices.BinarySearch(places, next+1)
		for ; i < len(places) && places[i] < limits[p]; i++ {
			if !used[places[i]] {
				join(p, places[i])
				next = places[i]
				break
			}
		}
	}
	anchors = slices.Clone(match)
	for p := range prompts {
		if match[p] >= 0 {
			continue
		}
		places := at[prompts[p].key]
		for len(places) > 0 && used[places[0]] {
			places = places[1:]
		}
		at[prompts[p].key] = places
		if len(places) > 0 {
			join(p, places[0])
		}
	}
	return match, anchors
}

// ceilings gives each prompt the turn of the next anchor after it.
func ceilings(match []int, turns int) []int {
	out := make([]int, len(match))
	limit := turns
	for p := len(match) - 1; p >= 0; p-- {
		out[p] = limit
		if match[p] >= 0 {
			limit = match[p]
		}
	}
	return out
}

// unique returns pairs (prompt, turn) of keys that occur once in both, the
// longest selection in which both rise.
func unique(prompts []entry, at map[key][]int) [][2]int {
	count := map[key]int{}
	for p := range prompts {
		count[prompts[p].key]++
	}
	var pairs [][2]int
	for p := range prompts {
		if places := at[prompts[p].key]; len(places) == 1 && count[prompts[p].key] == 1 {
			pairs = append(pairs, [2]int{p, places[0]})
		}
	}
	var ends []int // ends[n]: pair that ends the best rising run of n+1
	back := make([]int, len(pairs))
	for i, pr := range pairs {
		n, _ := slices.BinarySearchFunc(ends, pr[1], func(e, t int) int { return pairs[e][1] - t })
		back[i] = -1
		if n > 0 {
			back[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	var out [][2]int
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = back[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}
