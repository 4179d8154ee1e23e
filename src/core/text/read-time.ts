// A duration typed by a person: `30s`, `10m`, `1h30m`. Pure.
import { durationMs, isDuration } from '../../contract/agh/duration.ts'
import { AoError } from '../../contract/errors.ts'

export function readTime(option: string, text: string): number {
  if (isDuration(text)) return durationMs(text)
  throw new AoError('USAGE', `${option} takes a time such as 30s or 10m, not ${text}`, { hint: `Write: ${option} 10m` })
}
