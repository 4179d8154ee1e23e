// Files that are to go along with a message: read once, shown before they are sent, and kept in this browser until then.
import { ATTACHMENT_LIMITS, type SentFile } from '../../../src/contract/agh/attachment.ts'
import { BASE } from '../api/base.ts'

export interface DraftFile {
  id: string
  name: string
  size: number
  /** A data URL: the page may show no others. */
  url: string
}

/** Throws, in words, what the server would refuse. */
export async function readDraftFiles(chosen: Iterable<File>, before: readonly DraftFile[]): Promise<DraftFile[]> {
  const files = [...chosen]
  const { files: most, bytes, totalBytes } = ATTACHMENT_LIMITS
  if (before.length + files.length > most) throw new Error(`A message takes at most ${most} files`)
  const large = files.find(({ size }) => size > bytes)
  if (large) throw new Error(`${large.name} is larger than ${inMegabytes(bytes)}`)
  const total = [...before, ...files].reduce((sum, { size }) => sum + size, 0)
  if (total > totalBytes) throw new Error(`The files of a message may have ${inMegabytes(totalBytes)} together`)
  return Promise.all(files.map(readOne))
}

const inMegabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`

function readOne(file: File): Promise<DraftFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () =>
      resolve({ id: crypto.randomUUID(), name: file.name || 'picture', size: file.size, url: String(reader.result) })
    reader.onerror = () => reject(new Error(`${file.name} could not be read`))
    reader.readAsDataURL(file)
  })
}

/** Only what a browser shows as pixels. */
export function isShown({ url }: DraftFile): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp)[;,]/.test(url)
}

export function toSent(files: readonly DraftFile[]): SentFile[] {
  return files.map(({ name, url }) => ({ name: name.slice(0, 1_000), data: url.slice(url.indexOf(',') + 1) }))
}

export interface Draft {
  text: string
  files: readonly DraftFile[]
}

/** A draft that nobody came back to. */
const FORGET_MS = 30 * 24 * 60 * 60 * 1000
const DATABASE = 'ao-drafts'
const STORE = 'drafts'

interface KeptDraft extends Draft {
  at: number
}

/** Of another session, or of the same one in another repository, none is ever shown. */
const keyOf = (sessionId: string) => `${BASE}/${sessionId}`

/** null: there is none, or this browser keeps nothing. */
export async function loadDraft(sessionId: string): Promise<Draft | null> {
  const kept = await inStore<KeptDraft | undefined>('readonly', (store) => store.get(keyOf(sessionId)))
  return kept ? { text: kept.text, files: kept.files } : null
}

export async function saveDraft(sessionId: string, draft: Draft): Promise<void> {
  const isEmpty = draft.text === '' && draft.files.length === 0
  await inStore('readwrite', (store) =>
    isEmpty ? store.delete(keyOf(sessionId)) : store.put({ ...draft, at: Date.now() }, keyOf(sessionId)),
  )
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T | null> {
  try {
    const database = await opened()
    return await settled<T>(act(database.transaction(STORE, mode).objectStore(STORE)))
  } catch {
    // A private window, or a full disk: the draft lives as long as the page.
    return null
  }
}

let database: Promise<IDBDatabase> | null = null

function opened(): Promise<IDBDatabase> {
  database ??= open()
  return database
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  const found = await settled<IDBDatabase>(request)
  const cursor = found.transaction(STORE, 'readwrite').objectStore(STORE).openCursor()
  cursor.onsuccess = () => {
    if (!cursor.result) return
    if (Date.now() - (cursor.result.value as KeptDraft).at > FORGET_MS) cursor.result.delete()
    cursor.result.continue()
  }
  return found
}

function settled<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T)
    request.onerror = () => reject(request.error ?? new Error('this browser keeps nothing'))
  })
}
