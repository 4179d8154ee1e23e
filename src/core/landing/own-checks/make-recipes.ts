// The part of a Makefile that some targets run: their recipes, those of what they need, and everything that is no rule. Pure.

interface Rule {
  targets: string[]
  needs: string[]
  lines: string[]
}

/** CI that is configured elsewhere probably runs these. */
const USUAL = ['test', 'tests', 'check', 'lint', 'ci', 'verify']
const MOST_LINES = 20_000
const LONGEST_LINE = 4_000
const MOST_VALUES = 1_000
/** What values add to all of them. */
const MOST_ADDED = 64 * 1024

function parse(text: string): { rules: Rule[]; rest: string[] } {
  const rules: Rule[] = []
  const rest: string[] = []
  let rule: Rule | null = null
  for (const line of text
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .slice(0, MOST_LINES)) {
    const head = headOf(line)
    if (line.startsWith('\t') && rule !== null) rule.lines.push(line.slice(1))
    else if (head) {
      rule = head
      rules.push(rule)
    } else if (line.trim() !== '' && !line.startsWith('#')) {
      rule = null
      rest.push(line)
    }
  }
  return { rules, rest }
}

/** `a b: c d ; recipe`. null: it is something else, such as `NAME := value`. */
function headOf(line: string): Rule | null {
  const colon = line.indexOf(':')
  const before = line.slice(0, colon)
  const after = line.slice(colon + 1).replace(/^:/, '')
  if (colon < 1 || /^[\s#]|[=#]/.test(before) || /^:?=/.test(after)) return null
  const recipe = after.indexOf(';')
  const needs = (recipe === -1 ? after : after.slice(0, recipe)).replace(/#.*/, '')
  const lines = recipe === -1 ? [] : [after.slice(recipe + 1).trim()]
  return { targets: wordsOf(before), needs: wordsOf(needs), lines }
}

/** '': the first one that is no setting of make. */
function reached(rules: readonly Rule[], targets: readonly string[]): Rule[] {
  const first = rules.flatMap((one) => one.targets).find((name) => !name.startsWith('.'))
  const wanted = targets.map((name) => (name === '' ? (first ?? '') : name))
  const seen = new Set(wanted)
  const byTarget = Map.groupBy(
    rules.flatMap((rule) => rule.targets.map((name) => ({ name, rule }))),
    ({ name }) => name,
  )
  const done = new Set<Rule>()
  for (const name of wanted)
    for (const { rule } of byTarget.get(name) ?? []) {
      // Of many targets, with many needs: once is enough.
      const needs = done.has(rule) ? [] : rule.needs
      done.add(rule)
      for (const need of needs)
        if (!seen.has(need)) {
          seen.add(need)
          wanted.push(need)
        }
    }
  // Which files patterns and special targets stand for is for make to say.
  return rules.filter((rule) => done.has(rule) || rule.targets.some((one) => /[%$]|^\./.test(one)))
}

/** The same text: an edit left what is run as it was. */
export function recipesOf(text: string, targets: readonly string[]): string {
  const { rules, rest } = parse(text)
  const run = new Set([...reached(rules, targets), ...reached(rules, USUAL)])
  return JSON.stringify([rules.filter((rule) => run.has(rule)), rest])
}

/** As shell commands; makefiles that are included: `include` is left to the caller. */
export function makeCommands(text: string, targets: readonly string[]): { commands: string[]; included: string[] } {
  const { rules, rest } = parse(text)
  const values = new Map(
    rest.flatMap((line): Array<[string, string]> => {
      const [, name = '', value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name, value]]
    }),
  )
  let left = MOST_VALUES
  let room = MOST_ADDED
  const expand = (line: string, depth = 0): string =>
    line
      .slice(0, LONGEST_LINE)
      .replace(/\$(?:\((\w+)\)|\{(\w+)\}|(\$))/g, (whole, a?: string, b?: string, dollar?: string) => {
        if (dollar) return '$'
        const name = a ?? b ?? ''
        if (name === 'MAKE') return 'make'
        const value = values.get(name)
        if (value === undefined || depth >= 3 || --left < 0 || value.length > room) return whole
        room -= value.length
        return expand(value, depth + 1)
      })
  const lines = reached(rules, targets).flatMap((rule) => rule.lines)
  return {
    commands: lines.slice(0, 500).map((line) => expand(line.replace(/^[@+-]+/, ''))),
    included: rest.flatMap((line) => wordsOf(/^-?s?include\s+(.*)/.exec(line)?.[1] ?? '').map((one) => expand(one))),
  }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}
