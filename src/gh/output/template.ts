// Go's text/template over JSON, as gh's `--template` has it: text, actions, if, range, with, variables, pipelines, and the functions
// of `gh help formatting`. Anything that is not supported (define, template, block, break, continue) is refused by name.
import { showHiddenOnScreen } from '../../core/text/show-hidden.ts'
import {
  createFunctions,
  formatValue,
  isTrue,
  type TemplateFunctions,
  type TemplateOptions,
  templateProblem,
} from './template-functions.ts'

interface Scope {
  dot: unknown
  variables: Map<string, unknown>
  parent: Scope | null
}
/** Evaluated with the value piped into it, if there is one. */
type Evaluate = (scope: Scope, piped: readonly unknown[]) => unknown
type Render = (scope: Scope) => string

interface Pipeline {
  evaluate: Evaluate
  /** `$i, $x :=`; false: assigned to variables that are there. */
  variables: string[]
  isDeclaration: boolean
}

export function renderTemplate(template: string, value: unknown, options: TemplateOptions): string {
  const functions = createFunctions(options)
  const dot = withoutControls(value)
  const parts = splitParts(template)
  const { render, ended } = parseNodes(parts, functions, true)
  if (ended !== null) throw templateProblem(`unexpected {{${ended}}}`)
  return render({ dot, variables: new Map([['$', dot]]), parent: null }) + functions.tablerender!([])
}

/** Other people's text cannot control the terminal; colours that the template asks for can. */
function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return showHiddenOnScreen(value)
  if (Array.isArray(value)) return value.map(withoutControls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutControls(one)]))
}

type Part = { text: string } | { action: string }

/** `{{-` and `-}}` trim the space around them; a comment produces nothing; braces inside a quoted text end nothing. */
function splitParts(template: string): Part[] {
  const parts: Part[] = []
  let rest = template
  for (;;) {
    const open = rest.indexOf('{{')
    if (open === -1) return [...parts, { text: rest }]
    const inside = /^(?:"(?:[^"\\]|\\[\s\S])*"|`[^`]*`|(?!\}\})[^"`])*(?=\}\})/.exec(rest.slice(open + 2))?.[0]
    if (inside === undefined) throw templateProblem('unclosed action')
    const [trimsLeft, trimsRight] = [/^-\s/.test(inside), /\s-$/.test(inside)]
    const text = rest.slice(0, open)
    parts.push({ text: trimsLeft ? text.trimEnd() : text })
    const action = inside.slice(trimsLeft ? 2 : 0, trimsRight ? -2 : undefined).trim()
    if (!/^\/\*[\s\S]*\*\/$/.test(action)) parts.push({ action })
    rest = rest.slice(open + 2 + inside.length + 2)
    if (trimsRight) rest = rest.trimStart()
  }
}

function parseNodes(
  parts: Part[],
  functions: TemplateFunctions,
  isTop = false,
): { render: Render; ended: string | null } {
  const nodes: Render[] = []
  const render: Render = (scope) => nodes.map((node) => node(scope)).join('')
  for (let part = parts.shift(); part; part = parts.shift()) {
    if ('text' in part) {
      const { text } = part
      nodes.push(() => text)
      continue
    }
    const { action } = part
    const [, word = '', rest = ''] = /^([a-z]*)\b([\s\S]*)$/.exec(action) ?? []
    if (word === 'end' || word === 'else') return { render, ended: action }
    if (word === 'if' || word === 'with' || word === 'range') nodes.push(parseBlock(word, rest, parts, functions))
    else if (['define', 'template', 'block', 'break', 'continue'].includes(word))
      throw templateProblem(`{{${word}}} is not available here`)
    else {
      const pipeline = parsePipeline(action, functions)
      nodes.push((scope) => {
        const value = run(pipeline, scope)
        return pipeline.variables.length === 0 ? formatValue(value) : ''
      })
    }
  }
  if (!isTop) throw templateProblem('unexpected EOF: {{end}} is missing')
  return { render, ended: null }
}

function parseBlock(
  kind: 'if' | 'with' | 'range',
  condition: string,
  parts: Part[],
  functions: TemplateFunctions,
): Render {
  const pipeline = parsePipeline(condition, functions)
  const { render: body, ended } = parseNodes(parts, functions)
  const otherwise = parseElse(ended, parts, functions)
  if (kind === 'range') return (scope) => renderRange(pipeline, body, otherwise, scope)
  return (scope) => {
    const inner: Scope = { dot: scope.dot, variables: new Map(), parent: scope }
    const value = run(pipeline, inner)
    if (kind === 'with' && isTrue(value)) inner.dot = value
    return (isTrue(value) ? body : otherwise)(inner)
  }
}

function parseElse(ended: string | null, parts: Part[], functions: TemplateFunctions): Render {
  if (ended === 'end') return () => ''
  const [, kind, condition = ''] = /^else\s+(if|with)\b([\s\S]*)$/.exec(ended ?? '') ?? []
  if (kind !== undefined) return parseBlock(kind as 'if' | 'with', condition, parts, functions)
  if (ended !== 'else') throw templateProblem(`unexpected {{${ended}}}`)
  const { render, ended: last } = parseNodes(parts, functions)
  if (last !== 'end') throw templateProblem(`unexpected {{${last}}}`)
  return render
}

function renderRange(
  { evaluate, variables: [first, second] }: Pipeline,
  body: Render,
  otherwise: Render,
  scope: Scope,
) {
  const inner: Scope = { dot: scope.dot, variables: new Map(), parent: scope }
  const entries = entriesOf(evaluate(inner, []))
  if (entries.length === 0) return otherwise(inner)
  const rendered = entries.map(([key, dot]) => {
    const own = new Map<string, unknown>()
    if (second !== undefined) own.set(first!, key).set(second, dot)
    else if (first !== undefined) own.set(first, dot)
    return body({ dot, variables: own, parent: inner })
  })
  return rendered.join('')
}

/** Go iterates over a map in key order. */
function entriesOf(value: unknown): Array<[unknown, unknown]> {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.map((one, index) => [index, one])
  if (typeof value === 'object') return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  throw templateProblem(`range can't iterate over ${formatValue(value)}`)
}

function run({ evaluate, variables, isDeclaration }: Pipeline, scope: Scope): unknown {
  const value = evaluate(scope, [])
  if (variables.length > 1) throw templateProblem('two variables belong to range only')
  for (const name of variables) (isDeclaration ? scope : holderOf(name, scope)).variables.set(name, value)
  return value
}

function holderOf(name: string, scope: Scope): Scope {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.variables.has(name)) return at
  throw templateProblem(`undefined variable "${name}"`)
}

/** A text, a number, a path such as `.a.b` or `$x.a`, a sign, a word; the space before it. */
const TOKEN = new RegExp(
  String.raw`\s*("(?:[^"\\\n]|\\.)*"|` +
    '`[^`]*`' +
    String.raw`|[-+]?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b|\$\w*(?:\.\w+)*|(?:\.\w+)+|\.|:?=|[|(),]|[A-Za-z_]\w*)`,
  'y',
)

function tokenize(action: string): string[] {
  const tokens: string[] = []
  for (TOKEN.lastIndex = 0; action.slice(TOKEN.lastIndex).trim() !== ''; ) {
    const rest = action.slice(TOKEN.lastIndex).trimStart()
    const token = TOKEN.exec(action)
    if (token === null) throw templateProblem(`unexpected ${JSON.stringify(rest[0])} in ${JSON.stringify(rest)}`)
    // A path right after a parenthesis belongs to it: `(index . 0).title`.
    const isAttached = tokens.at(-1) === ')' && /^\.\w/.test(token[0])
    if (isAttached) tokens[tokens.length - 1] = `)${token[0]}`
    else tokens.push(token[1]!)
  }
  let open = 0
  for (const token of tokens) {
    if (token === '(') open += 1
    else if (token.startsWith(')')) open -= 1
    if (open < 0) break
  }
  if (open !== 0) throw templateProblem('unbalanced parentheses')
  return tokens
}

function parsePipeline(action: string, functions: TemplateFunctions): Pipeline {
  const tokens = tokenize(action)
  const at = tokens.findIndex((token) => token === '=' || token === ':=')
  const before = tokens.splice(0, at + 1).slice(0, -1)
  const variables = before.filter((token) => token !== ',')
  if (!variables.every((name) => /^\$\w+$/.test(name))) throw templateProblem(`unexpected =`)
  return { evaluate: parseCommands(tokens, functions), variables, isDeclaration: action.includes(':=') }
}

/** Up to the end, or to the parenthesis that closes it. */
function parseCommands(tokens: string[], functions: TemplateFunctions): Evaluate {
  const commands: Evaluate[] = []
  let operands: Evaluate[] = []
  const endCommand = () => {
    const [first, ...rest] = operands
    if (!first) throw templateProblem('missing value for command')
    commands.push((scope, piped) => first(scope, [...rest.map((one) => one(scope, [])), ...piped]))
    operands = []
  }
  while (tokens[0] !== undefined && !tokens[0].startsWith(')')) {
    const token = tokens.shift()!
    if (token === '|') endCommand()
    else operands.push(parseOperand(token, tokens, functions))
  }
  endCommand()
  return (scope, piped) => commands.reduce<readonly unknown[]>((value, one) => [one(scope, value)], piped)[0]
}

const CONSTANTS: Record<string, unknown> = { true: true, false: false, nil: null }

function parseOperand(token: string, tokens: string[], functions: TemplateFunctions): Evaluate {
  if (token === '(') {
    const inner = parseCommands(tokens, functions)
    const keys = keysIn(tokens.shift()!.slice(1))
    return plain((scope) => follow(inner(scope, []), keys))
  }
  if (token.startsWith('"')) return constant(unquote(token))
  if (token.startsWith('`')) return constant(token.slice(1, -1))
  if (/^[-+]?\d/.test(token)) return constant(Number(token))
  if (Object.hasOwn(CONSTANTS, token)) return constant(CONSTANTS[token])
  if (/^[$.]/.test(token)) {
    const [variable = '', ...keys] = token.split('.')
    const path = keys.filter((key) => key !== '')
    return plain((scope) =>
      follow(variable === '' ? scope.dot : holderOf(variable, scope).variables.get(variable), path),
    )
  }
  if (!/^\w/.test(token)) throw templateProblem(`unexpected ${JSON.stringify(token)} in operand`)
  const call = Object.hasOwn(functions, token) ? functions[token] : undefined
  if (call) return (_, args) => call(args)
  return () => {
    throw templateProblem(`function "${token}" not defined`)
  }
}

function keysIn(path: string): string[] {
  return path.split('.').filter((key) => key !== '')
}

const constant = (value: unknown) => plain(() => value)

/** Anything but a function. */
function plain(read: (scope: Scope) => unknown): Evaluate {
  return (scope, args) => {
    if (args.length > 0) throw templateProblem("can't give argument to non-function")
    return read(scope)
  }
}

function follow(value: unknown, keys: readonly string[]): unknown {
  let at = value
  for (const key of keys) {
    if (at === null || at === undefined) return undefined
    if (typeof at !== 'object' || Array.isArray(at))
      throw templateProblem(`can't evaluate field ${key} in ${formatValue(at)}`)
    at = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
  }
  return at
}

const ESCAPES = new Map(
  Object.entries({ n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', a: '\x07', b: '\b', f: '\f', v: '\v' }),
)

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/g, (_, code: string) => {
    if (/^[ux]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    const escaped = ESCAPES.get(code)
    if (escaped === undefined) throw templateProblem(`\\${code} is not an escape of Go`)
    return escaped
  })
}
