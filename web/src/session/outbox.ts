// Drafts to sessions and their receipts, and the draft of a task for a new one under a name of its own. Kept beside the cards: a card that moves to another column loses neither its draft
// nor its receipt.
import { useEffect, useSyncExternalStore } from 'react'
import { type AnswerOf, ask } from '../api/client.ts'
import { hintOf } from '../ui/error-state.tsx'
import { type DraftFile, loadDraft, readDraftFiles, saveDraft, toSent } from './draft-files.ts'

type SendReceipt = AnswerOf<'POST /api/sessions/:id/send'>['receipt']

export type Delivery =
  | { state: 'sending'; text: string }
  | { state: 'answered'; receipt: SendReceipt }
  | { state: 'failed'; why: string; hint: string | null }

export interface Letter {
  open: boolean
  draft: string
  files: readonly DraftFile[]
  delivery: Delivery | null
}

const NONE: Letter = { open: false, draft: '', files: [], delivery: null }
/** By then a positive receipt has been read. */
const FORGET_MS = 20_000

const letters = new Map<string, Letter>()
const listeners = new Set<() => void>()

export function useLetter(sessionId: string): Letter {
  useEffect(() => {
    void recall(sessionId)
    // Closed: the page may be left at once.
    return () => {
      if (timers.has(sessionId)) keepNow(sessionId)
    }
  }, [sessionId])
  return useSyncExternalStore(subscribe, () => letters.get(sessionId) ?? NONE)
}

const recalled = new Set<string>()

/** What was left here when the page was closed; what was typed since is not overwritten. */
async function recall(sessionId: string): Promise<void> {
  if (recalled.has(sessionId)) return
  recalled.add(sessionId)
  const kept = await loadDraft(sessionId)
  const { draft, files } = letters.get(sessionId) ?? NONE
  if (!kept || draft !== '' || files.length > 0) return
  change(sessionId, { draft: kept.text, files: kept.files })
}

export function openLetter(sessionId: string): void {
  change(sessionId, { open: true, delivery: null })
}

export function closeLetter(sessionId: string): void {
  change(sessionId, { open: false })
}

export function writeDraft(sessionId: string, draft: string): void {
  change(sessionId, { draft })
  keep(sessionId)
}

export async function addFiles(sessionId: string, chosen: Iterable<File>): Promise<void> {
  try {
    const read = await readDraftFiles(chosen, (letters.get(sessionId) ?? NONE).files)
    change(sessionId, { files: [...(letters.get(sessionId) ?? NONE).files, ...read], delivery: null })
    keep(sessionId)
  } catch (error) {
    change(sessionId, { delivery: { state: 'failed', why: String((error as Error).message), hint: null } })
  }
}

export function removeFile(sessionId: string, id: string): void {
  const { files } = letters.get(sessionId) ?? NONE
  change(sessionId, { files: files.filter((one) => one.id !== id) })
  keep(sessionId)
}

const KEEP_MS = 300
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Soon: not with every letter. */
function keep(sessionId: string): void {
  clearTimeout(timers.get(sessionId))
  timers.set(
    sessionId,
    setTimeout(() => keepNow(sessionId), KEEP_MS),
  )
}

function keepNow(sessionId: string): void {
  clearTimeout(timers.get(sessionId))
  timers.delete(sessionId)
  const { draft, files } = letters.get(sessionId) ?? NONE
  void saveDraft(sessionId, { text: draft, files })
}

// A phone gives no other sign before it takes the page away.
if (typeof document !== 'undefined') {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') for (const sessionId of timers.keys()) keepNow(sessionId)
  })
}

/** What it was for has been done. */
export function clearDraft(sessionId: string): void {
  change(sessionId, { draft: '', files: [], delivery: null })
  keepNow(sessionId)
}

/** Before whatever is written there already. */
export function prependDraft(sessionId: string, text: string): void {
  const { draft } = letters.get(sessionId) ?? NONE
  change(sessionId, { draft: draft.trim() === '' ? text : `${text}\n\n${draft}` })
  keep(sessionId)
}

export function forgetDelivery(sessionId: string): void {
  change(sessionId, { delivery: null })
}

/** The draft stays until the server has the message. */
export async function sendLetter(sessionId: string, { interrupt = false } = {}): Promise<void> {
  const { draft, files } = letters.get(sessionId) ?? NONE
  const text = draft.trim()
  if ((text === '' && files.length === 0) || letters.get(sessionId)?.delivery?.state === 'sending') return
  change(sessionId, { delivery: { state: 'sending', text } })
  try {
    const { receipt } = await ask('POST /api/sessions/:id/send', {
      params: { id: sessionId },
      body: { message: text, ...(interrupt && { interrupt }), ...(files.length > 0 && { files: toSent(files) }) },
    })
    const arrived = receipt.level !== 'undelivered'
    change(sessionId, {
      delivery: { state: 'answered', receipt },
      ...(arrived && { draft: '', files: [], open: false }),
    })
    if (arrived) keepNow(sessionId)
    if (receipt.level === 'seen') setTimeout(() => forget(sessionId, receipt), FORGET_MS)
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    change(sessionId, { delivery: { state: 'failed', why: failure.message, hint: hintOf(failure) } })
  }
}

function forget(sessionId: string, receipt: SendReceipt): void {
  const delivery = letters.get(sessionId)?.delivery
  if (delivery?.state === 'answered' && delivery.receipt === receipt) forgetDelivery(sessionId)
}

function change(sessionId: string, part: Partial<Letter>): void {
  letters.set(sessionId, { ...(letters.get(sessionId) ?? NONE), ...part })
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
