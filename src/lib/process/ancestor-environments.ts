// The environments that our ancestor processes were started with. Linux only: unreadable elsewhere.
import { readFileSync } from 'node:fs'

/** The nearest first. Other users' processes, whose environment is unreadable, are skipped. */
export function ancestorEnvironments(pid = process.ppid): Array<Record<string, string>> {
  const environments: Array<Record<string, string>> = []
  for (let ancestor = pid, steps = 0; ancestor > 1 && steps < MAX_STEPS; steps++) {
    const environ = readProc(ancestor, 'environ')
    if (environ !== null) environments.push(parseEnviron(environ))
    ancestor = parentOf(ancestor)
  }
  return environments
}

const MAX_STEPS = 100

function parentOf(pid: number): number {
  const stat = readProc(pid, 'stat')
  if (stat === null) return 0
  // The name is in parentheses and may itself contain spaces and parentheses.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function parseEnviron(text: string): Record<string, string> {
  const pairs = text.split('\0').filter((entry) => entry.includes('='))
  return Object.fromEntries(
    pairs.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}

function readProc(pid: number, name: 'environ' | 'stat'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It has ended meanwhile, is another user's, or this is not Linux.
    return null
  }
}
