// When a pause ends: after a duration, or at a time.
import { AoError } from '../../contract/errors.ts'
import { readTime } from '../../core/text/read-time.ts'

export function readEnd(text: string, now: Date): Date {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : now.getTime() + readTime('--until', text)
  if (time > now.getTime()) return new Date(time)
  throw new AoError('USAGE', `--until takes a duration or a time in the future, not ${text}`, {
    hint: 'Such as --until 30m',
  })
}
