// One line about lines that a check found something out about. Pure.
import type { CheckMark } from '../../contract/pull.ts'

export function describeMark({ path, line, to, isOld, text }: CheckMark): string {
  const lines = to === undefined || to === line ? `${line}` : `${line}-${to}`
  return `${path}:${lines}${isOld ? ' (before)' : ''} ${text}`
}
