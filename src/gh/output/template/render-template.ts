// A Go template over JSON, as `gh … --template` prints it.
import { showHiddenOnScreen } from '../../../core/text/show-hidden.ts'
import { createFunctions, type TemplateFunctions, type TemplateOptions } from './functions.ts'
import { formatValue, isTrue } from './go-values.ts'
import { type Node, type Operand, type Pipeline, parseTemplate, templateProblem } from './parse-template.ts'

interface Scope {
  dot: unknown
  variables: Map<string, unknown>
  parent: Scope | null
}

interface Run {
  functions: TemplateFunctions
  out: string[]
}

export function renderTemplate(template: string, value: unknown, options: TemplateOptions): string {
  const data = withoutControls(value)
  const run: Run = { functions: createFunctions(options), out: [] }
  renderAll(parseTemplate(template), { dot: data, variables: new Map([['$', data]]), parent: null }, run)
  run.out.push(run.functions.tablerender!([]) as string)
  return run.out.join('')
}

/** Other people's text cannot control the terminal; colours that the template asks for can. */
function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return showHiddenOnScreen(value)
  if (Array.isArray(value)) return value.map(withoutControls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutControls(one)]))
}

function renderAll(nodes: readonly Node[], scope: Scope, run: Run): void {
  for (const node of nodes) renderNode(node, scope, run)
}

function renderNode(node: Node, scope: Scope, run: Run): void {
  if (node.kind === 'text') {
    run.out.push(node.text)
    return
  }
  const inner: Scope = { dot: scope.dot, variables: new Map(), parent: scope }
  if (node.kind === 'action') {
    const value = evaluate(node.pipeline, scope, run)
    if (node.pipeline.variables.length === 0) run.out.push(formatValue(value))
  } else if (node.kind === 'range') {
    renderRange(node, inner, run)
  } else {
    const value = evaluate(node.pipeline, inner, run)
    if (node.kind === 'with' && isTrue(value)) inner.dot = value
    renderAll(isTrue(value) ? node.body : node.otherwise, inner, run)
  }
}

function renderRange(node: Extract<Node, { body: Node[] }>, scope: Scope, run: Run): void {
  const { variables } = node.pipeline
  const value = evaluate({ ...node.pipeline, variables: [] }, scope, run)
  const entries = entriesOf(value)
  if (entries.length === 0) renderAll(node.otherwise, scope, run)
  for (const [key, dot] of entries) {
    const [first, second] = variables
    const own = new Map<string, unknown>()
    if (second !== undefined) own.set(first!, key).set(second, dot)
    else if (first !== undefined) own.set(first, dot)
    renderAll(node.body, { dot, variables: own, parent: scope }, run)
  }
}

/** Go iterates over a map in key order. */
function entriesOf(value: unknown): Array<[unknown, unknown]> {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.map((one, index) => [index, one])
  if (typeof value === 'object') return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  throw templateProblem(`range can't iterate over ${formatValue(value)}`)
}

function evaluate(pipeline: Pipeline, scope: Scope, run: Run): unknown {
  let value: unknown
  pipeline.commands.forEach((command, index) => {
    value = evaluateCommand(command, index === 0 ? [] : [value], scope, run)
  })
  const [name] = pipeline.variables
  if (pipeline.variables.length > 1) throw templateProblem('two variables belong to range only')
  if (name !== undefined) assign(name, value, scope, pipeline.isDeclaration)
  return value
}

function evaluateCommand(command: readonly Operand[], piped: readonly unknown[], scope: Scope, run: Run): unknown {
  const [first, ...rest] = command
  if (first?.kind === 'function') {
    const call = Object.hasOwn(run.functions, first.name) ? run.functions[first.name]! : null
    if (call === null) throw templateProblem(`function "${first.name}" not defined`)
    return call([...rest.map((operand) => evaluateOperand(operand, scope, run)), ...piped])
  }
  if (rest.length + piped.length > 0) throw templateProblem("can't give argument to non-function")
  return evaluateOperand(first!, scope, run)
}

function evaluateOperand(operand: Operand, scope: Scope, run: Run): unknown {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'function':
      return evaluateCommand([operand], [], scope, run)
    case 'pipeline':
      return follow(evaluate(operand.pipeline, scope, run), operand.keys)
    case 'path':
      return follow(operand.variable === null ? scope.dot : lookUp(operand.variable, scope), operand.keys)
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

function lookUp(name: string, scope: Scope | null): unknown {
  for (let at = scope; at !== null; at = at.parent) if (at.variables.has(name)) return at.variables.get(name)
  throw templateProblem(`undefined variable "${name}"`)
}

function assign(name: string, value: unknown, scope: Scope, isDeclaration: boolean): void {
  let at: Scope | null = scope
  if (!isDeclaration) while (at !== null && !at.variables.has(name)) at = at.parent
  if (at === null) throw templateProblem(`undefined variable "${name}"`)
  at.variables.set(name, value)
}
