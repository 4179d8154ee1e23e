// Finds the script in a message: a fenced block ```demo, or lines that start with `demo:`. null: there is none.
import { parseStep } from './parse-step.ts'
import type { Reaction, Script, Step } from './script.ts'

export function parseScript(message: string): Script | null {
  const lines = scriptLines(message.replace(/\r\n?/g, '\n').split('\n'))
  if (lines.length === 0) return null
  return readSteps(lines)
}

const FENCE_OPEN = /^(\s*(?:[>|]\s?)*)(`{3,}|~{3,})\s*demo\s*$/
const DEMO_LINE = /^\s*(?:[>|]\s?)*demo:\s?(.*)$/

function scriptLines(lines: string[]): string[] {
  const found: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const open = FENCE_OPEN.exec(lines[at]!)
    if (open) {
      at = takeFence(lines, at + 1, { prefix: open[1]!, fence: open[2]! }, found)
      continue
    }
    const single = DEMO_LINE.exec(lines[at]!)
    if (single) found.push(single[1]!)
  }
  return found
}

/** Returns the index of the closing fence, or of the last line when nothing closes it. */
function takeFence(lines: string[], from: number, open: { prefix: string; fence: string }, found: string[]): number {
  const closing = new RegExp(`^\\s*${open.fence[0]}{${open.fence.length},}\\s*$`)
  for (let at = from; at < lines.length; at++) {
    // A quoted or indented block carries its prefix on every line.
    const line = lines[at]!.startsWith(open.prefix) ? lines[at]!.slice(open.prefix.length) : lines[at]!
    if (closing.test(line)) return at
    found.push(line)
  }
  return lines.length - 1
}

const REACTION_HEAD = /^\s*on[\s-]+([a-z][a-z0-9_-]*)\s*:\s*$/i
const HEREDOC_HEAD = /^(.*\S)\s*<<\s*'?([A-Za-z_][A-Za-z0-9_]*)'?\s*$/

function readSteps(lines: string[]): Script {
  const script: Script = { steps: [], reactions: [] }
  let target: Step[] = script.steps
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const reaction = REACTION_HEAD.exec(line)
    if (reaction) {
      const block: Reaction = { on: reaction[1]!.toLowerCase(), steps: [] }
      script.reactions.push(block)
      target = block.steps
      continue
    }
    const heredoc = HEREDOC_HEAD.exec(line)
    const end = heredoc ? lines.findIndex((one, index) => index > at && one.trim() === heredoc[2]) : -1
    if (heredoc && end !== -1) {
      target.push(
        parseStep(
          heredoc[1]!,
          lines
            .slice(at + 1, end)
            .map((one) => `${one}\n`)
            .join(''),
        ),
      )
      at = end
      continue
    }
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    target.push(parseStep(line))
  }
  return script
}
