// Commands in the place that home answers: `gh`, `ao`, pushes and fetches. Each is a fact of the log with an id, so that home
// hears of it exactly once; then home opens a stream for it and both sides' bytes flow.

import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import * as z from 'zod/mini'
import { abandonedAsks, type WaitingAsk } from '../../../core/place/line/waiting-asks.ts'
import { askRequest, inputLine } from '../far-contract.ts'
import { readJsonLines, writeJsonLine } from '../wire.ts'
import type { FactsLog } from './facts-log.ts'

export interface Asks {
  /** A command in the place begins. */
  begin(client: Duplex): void
  /** Home takes it: it gets stdin, and its frames go to the command. `accept` is called before anything is written. */
  take(id: string, home: Duplex, accept: () => void): boolean
  /** A line comes that has read everything up to this number: what it will no longer answer is cut off. */
  abandon(read: number): void
}

interface Waiting extends WaitingAsk {
  client: Duplex
  /** Arrived before home took it. */
  early: string[]
  home: Duplex | null
}

/** First what is asked, then its stdin. */
const CLIENT_LINE = z.union([askRequest, inputLine])
const MAX_WAITING = 32
const MAX_EARLY_BYTES = 8 * 1024 * 1024

export function createAsks(log: FactsLog): Asks {
  const waiting = new Map<string, Waiting>()
  return {
    begin(client) {
      const id = randomUUID()
      let begun = false
      let early = 0
      void readJsonLines(client, CLIENT_LINE, (line) => {
        if (!begun) {
          // Nothing that a command of ours begins with.
          if (!('tool' in line)) return void client.destroy()
          begun = true
          if (waiting.size >= MAX_WAITING) return refuse(client, 'too many commands wait for home')
          const { tool, argv, cwd } = line
          const ask: Waiting = { id, n: Number.POSITIVE_INFINITY, isTaken: false, client, early: [], home: null }
          waiting.set(id, ask)
          ask.n = log.add({ type: 'ask', id, tool, argv: argv.slice(0, 512), cwd }).n
          return
        }
        const ask = waiting.get(id)
        const text = JSON.stringify(line)
        early += text.length
        if (ask?.home) ask.home.write(`${text}\n`)
        else if (ask && early < MAX_EARLY_BYTES) ask.early.push(text)
        else client.destroy()
      })
      client.on('close', () => {
        const ask = waiting.get(id)
        waiting.delete(id)
        ask?.home?.end()
      })
    },
    take(id, home, accept) {
      const ask = waiting.get(id)
      if (ask === undefined || ask.isTaken) return false
      accept()
      ask.isTaken = true
      ask.home = home
      for (const line of ask.early.splice(0)) home.write(`${line}\n`)
      home.on('data', (chunk: Buffer) => ask.client.write(chunk))
      home.on('end', () => ask.client.end())
      home.on('close', () => ask.client.end())
      home.on('error', () => ask.client.end())
      return true
    },
    abandon(read) {
      for (const { id, client } of abandonedAsks(waiting.values(), read)) {
        waiting.delete(id)
        client.end()
      }
    },
  }
}

function refuse(client: Duplex, why: string): void {
  writeJsonLine(client, { err: Buffer.from(`ao: ${why}\n`).toString('base64') })
  writeJsonLine(client, { exit: 1 })
  client.end()
}
