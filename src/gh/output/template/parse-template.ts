// Go's text/template as accepted by gh's `--template`: text, actions, if, range, with, variables, pipelines. What is not
// supported (define, template, block, break, continue) is refused by name.
import { GhError } from '../../gh-error.ts'
import { type Token, tokenize } from './tokenize.ts'

export type Operand =
  | { kind: 'literal'; value: unknown }
  /** `.a.b`, `$x.a`; `variable` null: the dot. */
  | { kind: 'path'; variable: string | null; keys: string[] }
  | { kind: 'pipeline'; pipeline: Pipeline; keys: string[] }
  | { kind: 'function'; name: string }

export interface Pipeline {
  /** `$x :=`, or `$x =` for an existing one. */
  variables: string[]
  isDeclaration: boolean
  commands: Operand[][]
}

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipeline: Pipeline }
  | { kind: 'if' | 'with' | 'range'; pipeline: Pipeline; body: Node[]; otherwise: Node[] }

export function templateProblem(why: string): GhError {
  return new GhError(`failed to parse template: ${why}`)
}

interface Part {
  text?: string
  action?: string
}

export function parseTemplate(template: string): Node[] {
  const parts = splitParts(template)
  const { nodes, ended } = parseNodes(parts, { isTop: true })
  if (ended !== null) throw templateProblem(`unexpected {{${ended}}}`)
  return nodes
}

/** `{{-` and `-}}` trim the space around them; a comment produces nothing. */
function splitParts(template: string): Part[] {
  const parts: Part[] = []
  let rest = template
  for (;;) {
    const open = rest.indexOf('{{')
    if (open === -1) return [...parts, { text: rest }]
    const close = endOfAction(rest, open + 2)
    if (close === -1) throw templateProblem('unclosed action')
    const inside = rest.slice(open + 2, close)
    const [trimsLeft, trimsRight] = [/^-\s/.test(inside), /\s-$/.test(inside)]
    const text = rest.slice(0, open)
    parts.push({ text: trimsLeft ? text.trimEnd() : text })
    const action = inside.slice(trimsLeft ? 2 : 0, trimsRight ? -2 : undefined).trim()
    if (!/^\/\*[\s\S]*\*\/$/.test(action)) parts.push({ action })
    rest = rest.slice(close + 2)
    if (trimsRight) rest = rest.trimStart()
  }
}

/** Braces inside a quoted text end nothing. */
function endOfAction(text: string, start: number): number {
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const char = text[at]!
    if (quote !== '') {
      if (char === '\\' && quote === '"') at++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === '`') quote = char
    else if (text.startsWith('}}', at)) return at
  }
  return -1
}

function parseNodes(parts: Part[], { isTop = false } = {}): { nodes: Node[]; ended: string | null } {
  const nodes: Node[] = []
  for (let part = parts.shift(); part; part = parts.shift()) {
    const { text, action } = part
    if (action === undefined) {
      if (text) nodes.push({ kind: 'text', text })
      continue
    }
    const [, word = '', rest = ''] = /^([a-z]*)\b([\s\S]*)$/.exec(action) ?? []
    if (word === 'end' || word === 'else') return { nodes, ended: action }
    if (word === 'if' || word === 'with' || word === 'range') nodes.push(parseBlock(word, rest, parts))
    else if (['define', 'template', 'block', 'break', 'continue'].includes(word))
      throw templateProblem(`{{${word}}} is not available here`)
    else nodes.push({ kind: 'action', pipeline: parsePipeline(tokenize(action)) })
  }
  if (!isTop) throw templateProblem('unexpected EOF: {{end}} is missing')
  return { nodes, ended: null }
}

function parseBlock(kind: 'if' | 'with' | 'range', condition: string, parts: Part[]): Node {
  const pipeline = parsePipeline(tokenize(condition))
  const { nodes: body, ended } = parseNodes(parts)
  if (ended === 'end') return { kind, pipeline, body, otherwise: [] }
  const chained = /^else\s+(if|with)\b([\s\S]*)$/.exec(ended ?? '')
  if (chained) return { kind, pipeline, body, otherwise: [parseBlock(chained[1] as 'if' | 'with', chained[2]!, parts)] }
  if (ended !== 'else') throw templateProblem(`unexpected {{${ended}}}`)
  const { nodes: otherwise, ended: last } = parseNodes(parts)
  if (last !== 'end') throw templateProblem(`unexpected {{${last}}}`)
  return { kind, pipeline, body, otherwise }
}

function parsePipeline(tokens: Token[]): Pipeline {
  const { variables, isDeclaration } = takeVariables(tokens)
  const commands: Operand[][] = [[]]
  for (let token = tokens.shift(); token; token = tokens.shift()) {
    if (token.kind === 'close') break
    if (token.kind === 'pipe') commands.push([])
    else commands.at(-1)!.push(parseOperand(token, tokens))
  }
  if (commands.some((command) => command.length === 0)) throw templateProblem('missing value for command')
  return { variables, isDeclaration, commands }
}

function takeVariables(tokens: Token[]): { variables: string[]; isDeclaration: boolean } {
  const at = tokens.findIndex(({ kind }) => kind === 'assign')
  if (at === -1) return { variables: [], isDeclaration: false }
  const [before, sign] = [tokens.slice(0, at), tokens[at]!]
  const variables = before.filter(({ kind }) => kind === 'path').map(({ text }) => text)
  if (
    before.some(({ kind }) => kind !== 'path' && kind !== 'comma') ||
    !variables.every((name) => /^\$\w+$/.test(name))
  )
    throw templateProblem(`unexpected ${sign.text}`)
  tokens.splice(0, at + 1)
  return { variables, isDeclaration: sign.text === ':=' }
}

function parseOperand(token: Token, tokens: Token[]): Operand {
  switch (token.kind) {
    case 'literal':
      return { kind: 'literal', value: token.value }
    case 'path': {
      const [variable = '', ...keys] = token.text.split('.')
      return { kind: 'path', variable: variable === '' ? null : variable, keys: keys.filter((key) => key !== '') }
    }
    case 'word':
      return { kind: 'function', name: token.text }
    case 'open': {
      const pipeline = parsePipeline(tokens)
      const [next] = tokens
      const hasKeys = next?.kind === 'path' && next.text.startsWith('.') && next.isAttached
      if (hasKeys) tokens.shift()
      return { kind: 'pipeline', pipeline, keys: hasKeys ? next.text.split('.').filter((key) => key !== '') : [] }
    }
    default:
      throw templateProblem(`unexpected ${JSON.stringify(token.text)} in operand`)
  }
}
