// What a doctor finds, and how it prints it. A check never throws: its failure is a finding.
import { AoError, errorText } from '../../contract/errors.ts'
import { plural } from '../../core/text/format-age.ts'
import type { Io } from './io.ts'
import { toOneLine } from './plain-text.ts'
import type { Paint } from './style.ts'

export type CheckLevel = 'pass' | 'warn' | 'fail'

export interface Finding {
  level: CheckLevel
  /** What was checked: `git`, `project app`. */
  name: string
  detail: string
  /** What to do about it. */
  fix?: string | undefined
}

export async function guarded(
  name: string,
  check: () => Promise<Finding[]>,
  level: CheckLevel = 'fail',
): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [failedCheck(name, error, level)]
  }
}

/** Anything that was not agreed to is not broken: it is not checked. */
export function failedCheck(name: string, error: unknown, level: CheckLevel = 'fail'): Finding {
  const fix = error instanceof AoError ? error.hint : undefined
  const isUntrusted = error instanceof AoError && error.code === 'CONFIG_UNTRUSTED'
  if (isUntrusted) return { level: 'warn', name, detail: 'not checked: you have not agreed to its options yet', fix }
  return { level, name, detail: errorText(error), fix }
}

const CHECK_AGAIN = 'The machine may be busy; check again with: ao doctor'

/** Anything that could not be asked in time may well work: nothing needs to be installed. */
export function detectedFinding(
  name: string,
  {
    ok,
    detail,
    fix,
    timedOut,
  }: { ok: boolean; detail: string; fix?: string | undefined; timedOut?: boolean | undefined },
  level: CheckLevel = 'fail',
): Finding {
  if (ok) return { level: 'pass', name, detail }
  if (!timedOut) return { level, name, detail, fix }
  return { level: 'warn', name, detail: `not checked: ${detail}`, fix: fix ?? CHECK_AGAIN }
}

const MARKS: Record<CheckLevel, [mark: string, paint: Paint]> = {
  pass: ['PASS', 'green'],
  warn: ['WARN', 'yellow'],
  fail: ['FAIL', 'red'],
}

export function printFindings(findings: Finding[], io: Io): void {
  for (const { level, name, detail, fix } of findings) {
    const [mark, paint] = MARKS[level]
    const [first = '', ...further] = detail.split('\n').map(toOneLine)
    io.print(`${io.style[paint](mark)} ${name}: ${first}`)
    for (const line of further) io.print(`       ${line}`)
    if (fix) io.print(`     ${io.style.cyan('->')} ${fix}`)
  }
  const count = (wanted: CheckLevel) => findings.filter(({ level }) => level === wanted).length
  io.print()
  io.print(`${plural(count('fail'), 'problem')}, ${plural(count('warn'), 'warning')}, ${count('pass')} passed.`)
}
