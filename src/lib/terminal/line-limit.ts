// A program that reads lines has the kernel collect them for it, and the kernel drops whatever a line has beyond its buffer,
// without a word to either side.
import { exec } from '../exec.ts'

/** Bytes of one line, without its end. */
const LIMIT = process.platform === 'darwin' ? 1_023 : 4_095

/** Why this text cannot be typed into this terminal. null: it can, or nobody can tell. */
export async function cutLine(tty: string, text: string): Promise<string | null> {
  const longest = text.split('\n').reduce((most, line) => Math.max(most, Buffer.byteLength(line)), 0)
  if (longest <= LIMIT || !(await readsLines(tty))) return null
  return `the agent reads its terminal line by line, which cuts a line after ${LIMIT} bytes; the longest one has ${longest}`
}

async function readsLines(tty: string): Promise<boolean> {
  const flag = process.platform === 'darwin' ? '-f' : '-F'
  const modes = await exec('stty', [flag, tty, '-a'], { timeoutMs: 5_000 })
  return modes.ok && /(?<!-)\bicanon\b/.test(modes.stdout)
}
