// Notifications of the browser, for somebody who looks elsewhere: who began to need them, and the way there.

import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { BASE } from '../api/base.ts'
import { useBoard } from '../api/live.ts'
import { createStoredListeners } from '../api/stored-listeners.ts'
import { matterText } from '../session/matter.ts'
import { needsOf, newNeeds, type SeenNeeds } from './new-needs.ts'
import { canPush, changePushSound, startPush, stopPush } from './push.ts'

const KEY = 'ao.notify'
const PUSH = 'ao.push'
const SOUND = 'ao.sound'
/** More at once would be a flood: then there is one for all. */
const MOST = 3
const LONGEST = 180

const { subscribe, notify } = createStoredListeners()

export type NotifyState = 'on' | 'off' | 'blocked' | 'unavailable'

export function useNotifyState(): NotifyState {
  return useSyncExternalStore(subscribe, readState)
}

function readState(): NotifyState {
  // Browsers offer it over https and on this machine only.
  if (!('Notification' in window) || !window.isSecureContext) return 'unavailable'
  if (Notification.permission === 'denied') return 'blocked'
  return localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Also while no page of ao is open. */
export function usePushState(): boolean {
  return useSyncExternalStore(subscribe, hasPush)
}

export function useSound(): boolean {
  return useSyncExternalStore(subscribe, hasSound)
}

const hasPush = () => localStorage.getItem(PUSH) === 'on'
const hasSound = () => localStorage.getItem(SOUND) !== 'off'

/** From a click: browsers ask the person only then. Resolves with why there are no push messages; null: there are. */
export async function switchNotifications(on: boolean): Promise<string | null> {
  const isOn = on && (await Notification.requestPermission()) === 'granted'
  keep(KEY, isOn ? 'on' : null)
  const problem = isOn ? await tryPush() : await withoutPush()
  notify()
  return problem
}

async function tryPush(): Promise<string | null> {
  if (!canPush()) return 'This browser has no push messages.'
  try {
    await startPush(hasSound())
    keep(PUSH, 'on')
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function withoutPush(): Promise<null> {
  keep(PUSH, null)
  // The server forgets it with the next message in any case.
  if (canPush()) await stopPush().catch(() => undefined)
  return null
}

export async function switchSound(on: boolean): Promise<void> {
  keep(SOUND, on ? null : 'off')
  notify()
  if (hasPush()) await changePushSound(on)
}

function keep(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
}

/** Called once, by the shell. */
export function useNotifications(navigate: (to: string) => void): void {
  const board = useBoard()
  const seen = useRef<SeenNeeds | null>(null)
  const go = useRef(navigate)
  useEffect(() => {
    go.current = navigate
  })
  useEffect(() => {
    if (!board) return
    const cards = [...board.cards.values()]
    const fresh = newNeeds(seen.current, cards)
    seen.current = needsOf(cards)
    if (fresh.length === 0 || document.hasFocus() || readState() !== 'on' || hasPush()) return
    if (fresh.length > MOST) show(`${fresh.length} sessions need you`, '', '/queue', go.current)
    else for (const card of fresh) show(titleOf(card), matterText(card.need!), `/sessions/${card.id}`, go.current)
  }, [board])
}

const TITLES: Partial<Record<NonNullable<SessionCard['need']>['kind'], string>> = {
  permission: 'asks for permission',
  question: 'has a question',
  error: 'cannot continue',
  finished: 'has finished',
}

function titleOf({ id, need }: SessionCard): string {
  return `${id} ${TITLES[need!.kind] ?? 'needs you'}`
}

function show(title: string, body: string, to: string, navigate: (to: string) => void): void {
  // The same session replaces its earlier one, in all tabs.
  const notification = new Notification(title, {
    body: body.slice(0, LONGEST),
    tag: `ao ${BASE}${to}`,
    silent: !hasSound(),
  })
  notification.onclick = () => {
    window.focus()
    navigate(to)
    notification.close()
  }
}
