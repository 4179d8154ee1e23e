// A reader of the dashboard's stream, like a browser: frames with their ids, and the resulting board.
import { type ClientRequest, request } from 'node:http'
import type { Board, SessionCard } from '../../src/contract/dashboard/cards.ts'
import type { StreamEvent } from '../../src/contract/dashboard/stream.ts'

export type Received = StreamEvent & { id: string; at: number }

export interface EventReader {
  frames: Received[]
  /** Of the last frame that came whole. */
  lastId(): string | null
  close(): void
  /** Pauses reading, and resumes. */
  pause(): void
  resume(): void
}

export interface ReaderOptions {
  port: number
  /** One of the two. */
  token?: string
  cookie?: string
  path?: string
  lastEventId?: string | null
  /** Of another life of the same page. */
  onEnd?: () => void
}

export async function readEvents(options: ReaderOptions): Promise<EventReader> {
  const { port, token, cookie, path = '/api/stream', lastEventId } = options
  const key: Record<string, string> = cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie }
  const frames: Received[] = []
  let pending = ''
  const sent: ClientRequest = request({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    headers: { ...key, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
  })
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end()
  })
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`)
  sent.on('error', () => undefined)
  response.on('error', () => undefined)
  response.setEncoding('utf8')
  response.on('close', () => options.onEnd?.())
  response.on('data', (text: string) => {
    const parts = (pending + text).split('\n\n')
    pending = parts.pop() ?? ''
    for (const part of parts) frames.push(...parseFrame(part))
  })
  return {
    frames,
    lastId: () => frames.at(-1)?.id ?? null,
    close: () => sent.destroy(),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
  }
}

function parseFrame(text: string): Received[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const [id, event, data] = [field('id'), field('event'), field('data')]
  if (id === undefined || event === undefined || data === undefined) return []
  return [{ id, event, data: JSON.parse(data), at: performance.now() } as Received]
}

export interface PageState {
  board: Board | null
  history: Array<{ seq: number }>
}

export function emptyPage(): PageState {
  return { board: null, history: [] }
}

/** What a page does with a frame. */
export function applyFrame(page: PageState, frame: StreamEvent): void {
  if (frame.event === 'board') page.board = structuredClone(frame.data)
  if (frame.event === 'history') page.history.push(...frame.data.events)
  if (frame.event !== 'change') return
  if (page.board === null) throw new Error('a change came before the board')
  const cards = new Map<string, SessionCard>(page.board.sessions.map((card) => [card.id, card]))
  for (const id of frame.data.removed) cards.delete(id)
  for (const card of frame.data.sessions) cards.set(card.id, card)
  const { sessions: _, removed: __, ended, ...rest } = frame.data
  page.board = { ...page.board, ...rest, ended: { ...page.board.ended, ...ended }, sessions: [...cards.values()] }
}

export function sortedCards(board: Board | null): SessionCard[] {
  return [...(board?.sessions ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))
}
