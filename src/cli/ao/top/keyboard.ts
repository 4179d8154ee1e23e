// Keys of the terminal, read by Node's own parser. What was pasted comes as one text; keys that came together say so.
import { emitKeypressEvents, type Interface } from 'node:readline'
import type { KeyPress, Press } from '../../../core/board/board-state.ts'
import type { Io } from '../../print/io.ts'

/** How long Escape may be the beginning of another key. */
const ESCAPE_MS = 50
/** A paste whose end never comes is over by then. */
const PASTE_MS = 1_000

interface ReadlineKey {
  name?: string
  sequence: string
  ctrl: boolean
  meta: boolean
  shift: boolean
}

/** Returns a function that gives the keyboard back. `onPress` null: the terminal is gone. */
export function readKeyboard({ stdin }: Pick<Io, 'stdin'>, onPress: (press: KeyPress | null) => void): () => void {
  const batch: Press[] = []
  let pasted: string | null = null
  /** Text that ends its own paste has keys behind it: no key of the same read counts alone. */
  let isBehindPaste = false
  let timer: NodeJS.Timeout | undefined
  const endPaste = () => {
    clearTimeout(timer)
    const text = pasted ?? ''
    pasted = null
    onPress({ kind: 'paste', text })
  }
  // All keys of one read are parsed before this runs.
  const flush = () => {
    const keys = batch.splice(0)
    const inBurst = keys.length > 1 || isBehindPaste
    isBehindPaste = false
    for (const key of keys) onPress({ ...key, inBurst })
  }
  const take = (typed: string | undefined, key: ReadlineKey) => {
    if (pasted !== null && key.name === 'paste-end') {
      isBehindPaste = true
      queueMicrotask(flush)
      return endPaste()
    }
    if (pasted !== null || key.name === 'paste-start') {
      pasted = pasted === null ? '' : pasted + key.sequence
      clearTimeout(timer)
      timer = setTimeout(endPaste, PASTE_MS)
      return
    }
    if (batch.length === 0) queueMicrotask(flush)
    const name = key.name === 'tab' && key.shift ? 'backtab' : (key.name ?? '')
    batch.push({ kind: 'key', name, text: typed ?? '', ctrl: key.ctrl, meta: key.meta, inBurst: false })
  }
  const end = () => onPress(null)
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface)
  stdin.setRawMode(true)
  stdin.on('keypress', take)
  stdin.on('end', end)
  stdin.resume()
  return () => {
    clearTimeout(timer)
    stdin.off('keypress', take)
    stdin.off('end', end)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
