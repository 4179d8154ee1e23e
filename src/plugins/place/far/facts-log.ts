// The host's numbered log of facts, on disk before anybody hears of them. Home reads from its last number on, so a broken
// line loses nothing and doubles nothing.
import { closeSync, fdatasyncSync } from 'node:fs'
import { after, lastNumber, logLine, readLog } from '../../../core/place/line/far-log.ts'
import { writeAll } from '../../../lib/atomic-write.ts'
import { systemClock } from '../../../lib/clock.ts'
import { openForAppend, readIfThere } from '../../../lib/plain-file.ts'
import type { Fact } from '../far-contract.ts'

type Body<F> = F extends { n: number; at: number } ? Omit<F, 'n' | 'at'> : never

export interface FactsLog {
  add(fact: Body<Fact>): Fact
  after(n: number): Fact[]
  /** The returned function unsubscribes. */
  onFact(listener: (fact: Fact) => void): () => void
  close(): void
}

export function openFactsLog(file: string): FactsLog {
  const facts = readLog<Fact>(readIfThere(file) ?? '')
  let last = lastNumber(facts)
  const fd = openForAppend(file)
  const listeners = new Set<(fact: Fact) => void>()
  return {
    add(body) {
      // Also of a write that fails: see core/place/line/far-log.ts.
      last += 1
      const fact = { n: last, at: systemClock.now().getTime(), ...body } as Fact
      writeAll(fd, Buffer.from(logLine(fact)))
      fdatasyncSync(fd)
      facts.push(fact)
      for (const listener of listeners) listener(fact)
      return fact
    },
    after: (n) => after(facts, n),
    onFact(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => closeSync(fd),
  }
}
