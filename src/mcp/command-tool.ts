// A command as a tool of the MCP server, as the command declares it. Without zod: a command is mostly loaded to be run.
import type { Rights } from '../core/boundary/rights.ts'

export interface CommandTool {
  name: string
  title: string
  description: string
  hints: ToolHints
  /** Arguments and options of the command by their names, or what stands for several of them. */
  input: Readonly<Record<string, ToolField>>
  /** One of these has to be given. */
  needsOneOf?: readonly string[]
  /** The command's JSON; fields that are not listed here are included too. */
  output: Shape
}

/** What the command itself does not say about a field. */
export interface ToolField {
  about?: string
  required?: true
  /** A whole number between these. */
  whole?: readonly [from: number, to: number]
  /** By choice: the switch of the command. */
  choices?: Readonly<Record<string, string>>
  /** A text of any length, which this option takes from stdin. */
  stdin?: string
  /** A list: this option once for each item, as `write` puts it. */
  each?: ToolList
}

export interface ToolList {
  option: string
  fields: Readonly<Record<string, ItemField>>
  write(item: Readonly<Record<string, unknown>>): string
}

export interface ItemField {
  about?: string
  whole?: readonly [from: number, to: number]
  longest?: number
  pattern?: readonly [RegExp, message: string]
}

/** `list`: of objects. Several words: one of them. */
export interface Shape {
  readonly [field: string]: 'list' | 'object' | 'text' | 'text?' | 'number' | 'flag' | readonly string[] | Shape
}

export interface ToolHints {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  /** It starts agents' work, or reaches a forge. */
  openWorldHint?: boolean
}

export const READS: ToolHints = { readOnlyHint: true, openWorldHint: false }
export const ACTS: ToolHints = { readOnlyHint: false, destructiveHint: false, openWorldHint: true }
export const ENDS: ToolHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }

/** What commands that answer with one session print. */
export const ONE_SESSION: Shape = { session: { id: 'text', status: 'text' } }

/** The part of a command that a tool is made of. */
export interface ToolCommand {
  name: string
  args: Readonly<Record<string, { about: string; required?: true }>>
  options: Readonly<Record<string, { about: string; value?: string }>>
  inside?: Rights | undefined
  tool: CommandTool
}

/** One argument of a program takes 128 KB, and a character may be three bytes of it. */
export const LONGEST_ARGUMENT = 40_000
