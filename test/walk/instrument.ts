// The text of a source file with a call at the start of every function, so that a run can be followed. An anonymous function
// belongs to the named one around it: they are read together.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')
/** Parsing takes seconds, and most files are the same in the next run. */
const MADE = join(ROOT, 'node_modules', '.cache', 'walk')
const OWN_TEXT = readFileSync(import.meta.filename)

interface Node {
  type: string
  start: number
  end: number
  body?: Node
  id?: { name: string } | null
  [key: string]: unknown
}

type Parse = (name: string, text: string, options: { lang: 'ts' }) => { program: { body: Node[] } }

/** `file`: relative to the root, as it is reported. */
export function instrument(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const made = join(MADE, createHash('sha256').update(OWN_TEXT).update(`${file}\n`).update(text).digest('hex'))
  try {
    return readFileSync(made, 'utf8')
  } catch {
    // Not made yet.
  }
  const { program } = parser()(file, text, { lang: 'ts' })
  const marked = stripTypeScriptTypes(insert(text, marksIn(file, program.body, '')))
  // What a module does while it is loaded, such as making its tables, is not part of a flow. An entry is the flow.
  const result = /^#!|^await /m.test(text) ? marked : `__load(1);${marked}\n__load(-1);`
  mkdirSync(MADE, { recursive: true })
  writeFileSync(`${made}.${process.pid}`, result)
  renameSync(`${made}.${process.pid}`, made)
  return result
}

/** Loaded when the first file has to be made: it takes longer than a command. */
function parser(): Parse {
  return (createRequire(import.meta.url)('vite') as { parseSync: Parse }).parseSync
}

type Mark = readonly [offset: number, text: string]

const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/
/** Where a function gets its name from, and where that function is; one that is only an argument there has no name of its own. */
const NAMED: Readonly<Record<string, readonly [name: string, value: string]>> = {
  VariableDeclarator: ['id', 'init'],
  Property: ['key', 'value'],
  MethodDefinition: ['key', 'value'],
}

function marksIn(file: string, node: unknown, around: string): Mark[] {
  if (Array.isArray(node)) return node.flatMap((one) => marksIn(file, one, around))
  if (!isNode(node)) return []
  const name = ownName(node) ?? around
  const inside = Object.entries(node).flatMap(([key, inner]) => (key === 'id' ? [] : marksIn(file, inner, name)))
  if (!FUNCTION.test(node.type) || !node.body) return inside
  const call = `__walk(${JSON.stringify(file)},${JSON.stringify(name)})`
  const { type, start, end } = node.body
  const marks: Mark[] =
    type === 'BlockStatement'
      ? [[start + 1, `${call};`]]
      : [
          [start, `(${call},`],
          [end, ')'],
        ]
  return [...marks, ...inside]
}

function ownName(node: Node): string | undefined {
  const [key, value] = NAMED[node.type] ?? ['id', null]
  const named = value === null ? node : node[value]
  const own = isNode(named) && FUNCTION.test(named.type) ? (node[key] as { name?: string } | null)?.name : undefined
  return own === undefined ? undefined : `${own}:${node.start}`
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string'
}

function insert(text: string, marks: readonly Mark[]): string {
  let result = ''
  let done = 0
  for (const [offset, mark] of marks.toSorted(([a], [b]) => a - b)) {
    result += text.slice(done, offset) + mark
    done = offset
  }
  return result + text.slice(done)
}
