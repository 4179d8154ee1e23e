// What a message to an agent asks for, and whether it arrived whole. Pure.
import { createHash } from 'node:crypto'

const short = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** One of ours: its number, its hash, and a few lines between two marks. */
export function markedMessage(mark: number, text: string): string {
  return `[[landbench ${mark} ${short(text)}]]\n${text}\n[[end ${mark}]]`
}

export interface Received {
  sha: string
  /** Numbers of whole messages of ours in it, each as often as it is there. */
  marks: number[]
  /** Messages of ours that have lost something. */
  torn: number
  /** How often its beginning is there again. */
  repeats: number
}

const BEGINNING = 60

export function readMessage(message: string): Received {
  const text = message.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const whole = [...text.matchAll(/\[\[landbench (\d+) ([0-9a-f]{8})\]\]\n(.*?)\n\[\[end \1\]\]/gs)]
  const marks = whole.filter(([, , sha, inner]) => short(inner!) === sha).map(([, mark]) => Number(mark))
  const opened = text.match(/\[\[landbench /g)?.length ?? 0
  const closed = text.match(/\[\[end /g)?.length ?? 0
  const beginning = text.slice(0, BEGINNING)
  const repeats = beginning.length < BEGINNING || opened > 0 ? 0 : text.split(beginning).length - 2
  return { sha: short(text), marks, torn: Math.max(opened, closed) - marks.length, repeats }
}

/** The commit or branch that the agent is asked to rebase onto; null: the message asks for nothing that it knows. */
export function rebaseTarget(message: string): string | null {
  const named = /\bgit rebase (?:--onto )?([\w./-]*\w)/.exec(message)?.[1]
  return named ?? /\bBring (\S+) into your branch\b/i.exec(message)?.[1] ?? null
}
