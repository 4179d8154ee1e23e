// Push messages for this browser: they arrive when no page of ao is open.
import { ask } from '../api/client.ts'

const WORKER = '/service-worker.js'

export function canPush(): boolean {
  return window.isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window
}

/** null: this browser gets none. */
async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/')
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Throws when the browser's push service cannot be reached. */
export async function startPush(sound: boolean): Promise<void> {
  const registration = await navigator.serviceWorker.register(workerUrl(), { scope: '/' })
  await navigator.serviceWorker.ready
  const { publicKey } = await ask('GET /api/push')
  const made =
    (await registration.pushManager.getSubscription()) ??
    (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }))
  await tellServer(made, sound)
}

export async function changePushSound(sound: boolean): Promise<void> {
  const existing = await subscription()
  if (existing) await tellServer(existing, sound)
}

async function tellServer(existing: PushSubscription, sound: boolean): Promise<void> {
  const { endpoint, keys } = existing.toJSON()
  await ask('POST /api/push', {
    body: { endpoint: endpoint!, keys: { p256dh: keys!.p256dh!, auth: keys!.auth! }, sound },
  })
}

export async function stopPush(): Promise<void> {
  const existing = await subscription()
  if (!existing) return
  await ask('POST /api/push/remove', { body: { endpoint: existing.endpoint } })
  await existing.unsubscribe()
}

export async function testPush(): Promise<{ ok: boolean; message: string }> {
  const existing = await subscription()
  if (!existing) return { ok: false, message: 'This browser gets no push messages' }
  return ask('POST /api/push/test', { body: { endpoint: existing.endpoint } })
}

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown }
}

/** The server's policy accepts no other script by address than this one. */
function workerUrl(): string {
  const { trustedTypes } = window as { trustedTypes?: PolicyFactory }
  if (!trustedTypes) return WORKER
  const only = (url: string) => {
    if (url === WORKER) return url
    throw new TypeError(`${url} is not the worker`)
  }
  policy ??= trustedTypes.createPolicy('ao-worker', { createScriptURL: only })
  return policy.createScriptURL(WORKER) as string
}

let policy: ReturnType<PolicyFactory['createPolicy']> | null = null
