// The numbered log that a host keeps beside its agent. A number is used once: also when writing it failed, because a line
// whose write failed may be on the disk all the same, and would be read after the next start of the host.

export interface Numbered {
  n: number
}

/** What a host finds in its file. Of lines with the same number the first counts: somebody may have read it. */
export function readLog<F extends Numbered>(text: string): F[] {
  const facts: F[] = []
  for (const line of text.split('\n')) {
    const fact = parseLine<F>(line)
    if (fact !== null && fact.n > lastNumber(facts)) facts.push(fact)
  }
  return facts
}

function parseLine<F extends Numbered>(line: string): F | null {
  if (line === '') return null
  try {
    const fact = JSON.parse(line) as F
    return typeof fact?.n === 'number' ? fact : null
  } catch {
    // Cut off by a crash or a full disk: nobody heard of it.
    return null
  }
}

/** The newline before it, too: a line that was cut off must not swallow this one. */
export function logLine(fact: Numbered): string {
  return `\n${JSON.stringify(fact)}\n`
}

export function lastNumber(facts: readonly Numbered[]): number {
  return facts.at(-1)?.n ?? 0
}

export function after<F extends Numbered>(facts: readonly F[], n: number): F[] {
  const from = facts.findIndex((fact) => fact.n > n)
  return from < 0 ? [] : facts.slice(from)
}
