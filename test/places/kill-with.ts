// kill -9 for the processes of one test.
import { readdirSync, readFileSync } from 'node:fs'

/** Every process with all of these words in its arguments or its environment. */
export function killWith(...patterns: string[]): number {
  let killed = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const text = `${command} ${readFileSync(`/proc/${pid}/environ`, 'utf8')}`
      if (!command.includes(patterns[0]!) || !patterns.every((word) => text.includes(word))) continue
      process.kill(Number(pid), 'SIGKILL')
      killed++
    } catch {
      // It ended meanwhile.
    }
  }
  return killed
}
