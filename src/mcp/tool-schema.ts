// What a tool takes and answers, as schemas, and the command line that its input becomes. Each tool is a command of `ao`: it
// runs with `--json` in a process of its own, so that its checks, locks and access rules are the command's, and so is its
// answer.
import * as z from 'zod/mini'
import type { ItemField, Shape, ToolCommand, ToolField, ToolList } from './command-tool.ts'

const LONGEST_WORD = 500
const LONGEST_TEXT = 1_000_000

/** What becomes part of a command line, where a NUL byte cannot stand. */
const argument = (most: number) =>
  z.string().check(z.minLength(1), z.maxLength(most), z.regex(/^[^\0]*$/, 'must not contain a NUL byte'))

export function inputSchema(command: ToolCommand): z.ZodMiniType {
  const { input, needsOneOf } = command.tool
  const shape = Object.entries(input).map(([name, field]) => {
    const spec = command.args[name] ?? command.options[name]
    const about = field.about ?? spec?.about
    const schema = isRequired(command, name, field)
      ? fieldSchema(command, name, field)
      : z.optional(fieldSchema(command, name, field))
    return [name, about === undefined ? schema : schema.check(z.describe(about))]
  })
  const schema = z.strictObject(Object.fromEntries(shape))
  if (needsOneOf === undefined) return schema
  const message = `give ${needsOneOf.join(', ')} or both`
  return schema.check(z.refine((given) => needsOneOf.some((name) => given[name] !== undefined), message))
}

function isRequired(command: ToolCommand, name: string, field: ToolField): boolean {
  return field.required ?? command.args[name]?.required ?? false
}

function fieldSchema({ args, options }: ToolCommand, name: string, field: ToolField): z.ZodMiniType {
  if (field.each) return listSchema(field.each)
  if (field.choices) return z.enum(Object.keys(field.choices))
  if (field.stdin !== undefined) return z.string().check(z.minLength(1), z.maxLength(LONGEST_TEXT))
  if (field.whole) return wholeNumber(field.whole)
  if (!Object.hasOwn(args, name) && options[name]?.value === undefined) return z.boolean()
  return argument(LONGEST_WORD)
}

function listSchema({ fields }: ToolList): z.ZodMiniType {
  const shape = Object.entries(fields).map(([name, field]) => [name, itemSchema(field)])
  return z.array(z.strictObject(Object.fromEntries(shape)))
}

function itemSchema({ about, whole, longest = LONGEST_WORD, pattern }: ItemField): z.ZodMiniType {
  if (whole) return wholeNumber(whole)
  const text = argument(longest).check(...(pattern ? [z.regex(...pattern)] : []))
  return about === undefined ? text : text.check(z.describe(about))
}

function wholeNumber([from, to]: readonly [number, number]): z.ZodMiniType {
  return z.int().check(z.minimum(from), z.maximum(to))
}

export function outputSchema(shape: Shape): z.ZodMiniType<Record<string, unknown>> {
  return z.looseObject(Object.fromEntries(Object.entries(shape).map(([name, kind]) => [name, kindSchema(kind)])))
}

function kindSchema(kind: Shape[string]): z.ZodMiniType {
  if (typeof kind === 'object') return isWords(kind) ? z.enum(kind) : outputSchema(kind)
  switch (kind) {
    case 'list':
      return z.array(z.looseObject({}))
    case 'object':
      return z.looseObject({})
    case 'text':
      return z.string()
    case 'text?':
      return z.nullable(z.string())
    case 'number':
      return z.number()
    case 'flag':
      return z.boolean()
  }
}

function isWords(kind: readonly string[] | Shape): kind is readonly string[] {
  return Array.isArray(kind)
}

/** The whole command line after `ao`. Arguments come after `--`, so that none of them can be taken for an option. */
export function commandLine(command: ToolCommand, input: unknown): { argv: string[]; stdin: string | undefined } {
  const given = input as Readonly<Record<string, unknown>>
  const fields = Object.entries(command.tool.input).filter(([name]) => given[name] !== undefined)
  const options = fields.flatMap(([name, field]) => optionsOf(command, name, field, given[name]))
  const args = Object.keys(command.args).flatMap((name) =>
    Object.hasOwn(command.tool.input, name) && given[name] !== undefined && !command.tool.input[name]!.stdin
      ? [String(given[name])]
      : [],
  )
  const text = fields.find(([, { stdin }]) => stdin !== undefined)
  return {
    argv: [...command.name.split(' '), '--json', ...options, '--', ...args],
    stdin: text && String(given[text[0]]),
  }
}

function optionsOf({ args }: ToolCommand, name: string, field: ToolField, value: unknown): string[] {
  if (field.stdin !== undefined) return [`--${field.stdin}=-`]
  if (field.choices) return [`--${field.choices[String(value)]}`]
  if (field.each) {
    const { option, write } = field.each
    return (value as Array<Record<string, unknown>>).map((item) => `--${option}=${write(item)}`)
  }
  if (Object.hasOwn(args, name)) return []
  if (typeof value === 'boolean') return value ? [`--${name}`] : []
  return [`--${name}=${String(value)}`]
}
