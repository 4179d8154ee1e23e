// An event for a page: long texts are cut, because a page shows a few lines of them and every reader gets a copy.
import type { SessionEvent } from '../../contract/events.ts'
import { describeEvent } from './describe-event.ts'

const LONGEST_TEXT = 16_000
const LONGEST_LINE = 2_000

/** Including its words. The whole text stays in the history, where `ao events` shows it. */
export function toPageEvent(event: SessionEvent): SessionEvent & { words: string } {
  const clipped = Object.fromEntries(Object.entries(event).map(([key, value]) => [key, clip(value, LONGEST_TEXT)]))
  return { ...(clipped as SessionEvent), words: String(clip(describeEvent(event), LONGEST_LINE)) }
}

function clip<T>(value: T, longest: number): T | string {
  if (typeof value !== 'string' || value.length <= longest) return value
  return `${value.slice(0, longest)}… (${value.length - longest} characters more)`
}
