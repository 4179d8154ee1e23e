// Drafts to sessions and their receipts. Kept beside the cards: a card that moves to another column loses neither its draft
// nor its receipt.
import { useSyncExternalStore } from 'react'
import { type AnswerOf, ask } from '../api/client.ts'
import { hintOf } from '../ui/error-state.tsx'

type SendReceipt = AnswerOf<'POST /api/sessions/:id/send'>['receipt']

export type Delivery =
  | { state: 'sending'; text: string }
  | { state: 'answered'; receipt: SendReceipt }
  | { state: 'failed'; why: string; hint: string | null }

export interface Letter {
  open: boolean
  draft: string
  delivery: Delivery | null
}

const NONE: Letter = { open: false, draft: '', delivery: null }
/** By then a positive receipt has been read. */
const FORGET_MS = 20_000

const letters = new Map<string, Letter>()
const listeners = new Set<() => void>()

export function useLetter(sessionId: string): Letter {
  return useSyncExternalStore(subscribe, () => letters.get(sessionId) ?? NONE)
}

export function openLetter(sessionId: string): void {
  change(sessionId, { open: true, delivery: null })
}

export function closeLetter(sessionId: string): void {
  change(sessionId, { open: false })
}

export function writeDraft(sessionId: string, draft: string): void {
  change(sessionId, { draft })
}

export function forgetDelivery(sessionId: string): void {
  change(sessionId, { delivery: null })
}

/** The draft stays until the server has the message. */
export async function sendLetter(sessionId: string, { interrupt = false } = {}): Promise<void> {
  const text = (letters.get(sessionId) ?? NONE).draft.trim()
  if (text === '' || letters.get(sessionId)?.delivery?.state === 'sending') return
  change(sessionId, { delivery: { state: 'sending', text } })
  try {
    const { receipt } = await ask('POST /api/sessions/:id/send', {
      params: { id: sessionId },
      body: { message: text, ...(interrupt && { interrupt }) },
    })
    const arrived = receipt.level !== 'undelivered'
    change(sessionId, { delivery: { state: 'answered', receipt }, ...(arrived && { draft: '', open: false }) })
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
