// What may be changed in a source file so that it does something else: an operator, a condition, a literal.
import { parseSync } from 'vite'

export interface Mutant {
  start: number
  end: number
  replacement: string
}

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '-': '+', '*': '/', '/': '*', '%': '*', '&&': '||', '||': '&&', '??': '&&' },
}

export function mutantsOf(path: string, source: string): Mutant[] {
  return [...walk(parseSync(path, source).program as unknown as Node, source)]
}

function* walk(node: Node, source: string): Generator<Mutant> {
  // Types say nothing at run time, and names of modules and of properties do not decide.
  if (node.type.startsWith('TS') && !WRAPPERS.has(node.type)) return
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return
  yield* ownMutants(node, source)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'key' && node.type === 'Property' && node.computed !== true) continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, source)
  }
}

const WRAPPERS: ReadonlySet<string> = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

function* ownMutants(node: Node, source: string): Generator<Mutant> {
  const { type, start, end } = node
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const [left, right, operator] = [node.left as Node, node.right as Node, String(node.operator)]
    const replacement = OPERATORS[operator]
    const at = source.indexOf(operator, left.end)
    if (replacement !== undefined && at < right.start) yield { start: at, end: at + operator.length, replacement }
  } else if (type === 'UnaryExpression' && node.operator === '!') {
    yield { start, end: start + 1, replacement: '' }
  } else if (type === 'IfStatement' || type === 'ConditionalExpression') {
    const test = node.test as Node
    for (const replacement of ['true', 'false']) yield { start: test.start, end: test.end, replacement }
  } else if (type === 'Literal') {
    if (typeof node.value === 'boolean') yield { start, end, replacement: String(!node.value) }
    if (typeof node.value === 'number') yield { start, end, replacement: String(node.value + 1) }
    if (typeof node.value === 'string') yield { start, end, replacement: node.value === '' ? "'mutant'" : "''" }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
