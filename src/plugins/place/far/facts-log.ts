// The host's numbered log of facts, on disk before anybody hears of them. Home reads from its last number on, so a broken
// line loses nothing and doubles nothing.
import { closeSync, fdatasyncSync } from 'node:fs'
import { writeAll } from '../../../lib/atomic-write.ts'
import { systemClock } from '../../../lib/clock.ts'
import { openForAppend, readIfThere } from '../../../lib/plain-file.ts'
import type { Fact } from '../wire.ts'

type Body<F> = F extends { n: number; at: number } ? Omit<F, 'n' | 'at'> : never

export interface FactsLog {
  add(fact: Body<Fact>): Fact
  after(n: number): Fact[]
  /** The returned function unsubscribes. */
  onFact(listener: (fact: Fact) => void): () => void
  close(): void
}

export function openFactsLog(file: string): FactsLog {
  const facts = readFacts(file)
  const fd = openForAppend(file)
  const listeners = new Set<(fact: Fact) => void>()
  return {
    add(body) {
      const fact = { n: (facts.at(-1)?.n ?? 0) + 1, at: systemClock.now().getTime(), ...body } as Fact
      // The newline before it, too: a line that a crash cut off must not swallow this one.
      writeAll(fd, Buffer.from(`\n${JSON.stringify(fact)}\n`))
      fdatasyncSync(fd)
      facts.push(fact)
      for (const listener of listeners) listener(fact)
      return fact
    },
    after: (n) => facts.filter((fact) => fact.n > n),
    onFact(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => closeSync(fd),
  }
}

function readFacts(file: string): Fact[] {
  const facts: Fact[] = []
  for (const line of (readIfThere(file) ?? '').split('\n')) {
    try {
      if (line !== '') facts.push(JSON.parse(line) as Fact)
    } catch {
      // Cut off by a crash: nobody heard of it.
    }
  }
  return facts
}
