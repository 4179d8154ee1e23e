// One line of a script as a step. An invalid line becomes `unknown` with the reason, never an exception.

import { splitCommand } from '../../../core/text/command-line.ts'
import type { Step } from './script.ts'

type ReadStep = (rest: string, heredoc: string | undefined) => Step | string

/** Each returns the step, or says what the line lacks. */
const VERBS: Record<string, ReadStep> = {
  say: (rest) => ({ verb: 'say', text: inline(rest) }),
  think: (rest) => seconds(rest, (value) => ({ verb: 'think', seconds: value })),
  wait: (rest) => seconds(rest, (value) => ({ verb: 'wait', seconds: value })),
  write: (rest, heredoc) => pathAndText(rest, heredoc, (path, text) => ({ verb: 'write', path, text })),
  append: (rest, heredoc) => pathAndText(rest, heredoc, (path, text) => ({ verb: 'append', path, text })),
  edit: readEdit,
  delete: (rest) => (rest ? { verb: 'delete', path: rest } : 'it needs a path'),
  run: readRun,
  commit: (rest) => ({ verb: 'commit', message: inline(rest) || 'Work of the demo agent' }),
  push: () => ({ verb: 'push' }),
  'merge-base': () => ({ verb: 'merge-base' }),
  pr: (rest) => (rest ? { verb: 'pr', title: rest } : 'it needs a title'),
  ask: (rest) => (rest ? { verb: 'ask', question: rest } : 'it needs a question'),
  permission: (rest) => (rest ? { verb: 'permission', what: rest } : 'it needs what to ask for'),
  fail: (rest) => ({ verb: 'fail', message: rest || 'the script says so' }),
  stuck: () => ({ verb: 'stuck' }),
  crash: (rest) => exitCode(rest, 1, (code) => ({ verb: 'crash', code })),
  exit: (rest) => exitCode(rest, 0, (code) => ({ verb: 'exit', code })),
  finish: (rest) => ({ verb: 'finish', text: inline(rest) }),
}

export const VERB_NAMES = Object.keys(VERBS)

export function parseStep(line: string, heredoc?: string): Step {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(line) ?? []
  const read = Object.hasOwn(VERBS, word.toLowerCase()) ? VERBS[word.toLowerCase()] : undefined
  if (!read) return { verb: 'unknown', line: line.trim(), why: 'there is no such verb' }
  const step = read(rest, heredoc)
  return typeof step === 'string' ? { verb: 'unknown', line: line.trim(), why: step } : step
}

function readRun(rest: string): Step | string {
  if (!rest) return 'it needs a command'
  const argv = splitCommand(rest)
  return argv === null ? 'a quotation mark is not closed' : { verb: 'run', argv }
}

/** `edit path old => new` changes a passage; without an arrow the text becomes the whole file. */
function readEdit(rest: string, heredoc: string | undefined): Step | string {
  const change = /^(\S+)\s+(.+?)\s+=>(?:\s+(.*))?$/s.exec(rest)
  if (heredoc === undefined && change) {
    return { verb: 'edit', path: change[1]!, from: inline(change[2]!), to: inline(change[3] ?? '') }
  }
  return pathAndText(rest, heredoc, (path, text) => ({ verb: 'write', path, text }))
}

function pathAndText(
  rest: string,
  heredoc: string | undefined,
  make: (path: string, text: string) => Step,
): Step | string {
  const [, path = '', text = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? []
  if (!path) return 'it needs a path'
  if (heredoc !== undefined) return make(path, heredoc)
  const body = inline(text)
  return make(path, body === '' || body.endsWith('\n') ? body : `${body}\n`)
}

/**
 * `<<text>>` keeps leading and trailing spaces; `
 * ` is a newline and `\
 * ` the two characters.
 */
function inline(text: string): string {
  const inner = text.startsWith('<<') && text.endsWith('>>') && text.length >= 4 ? text.slice(2, -2) : text
  return inner.replace(/\\([\\nt])/g, (_, char: string) => ({ '\\': '\\', n: '\n', t: '\t' })[char] ?? char)
}

function seconds(rest: string, make: (value: number) => Step): Step | string {
  const value = rest === '' ? 1 : Number(rest.replace(/\s*(s|sec|seconds?)$/i, ''))
  return Number.isFinite(value) && value >= 0 ? make(value) : 'it needs a number of seconds'
}

function exitCode(rest: string, otherwise: number, make: (code: number) => Step): Step | string {
  const code = rest === '' ? otherwise : Number(rest)
  return Number.isInteger(code) && code >= 0 && code <= 255 ? make(code) : 'an exit code is a number from 0 to 255'
}
