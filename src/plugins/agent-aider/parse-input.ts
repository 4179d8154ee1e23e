// Aider's input history: `# <local time>` and the lines of the message, each behind a `+`. Pure.

export interface EnteredMessage {
  at: Date
  text: string
}

export function parseInput(text: string): EnteredMessage[] {
  const messages: EnteredMessage[] = []
  let lines: string[] | null = null
  for (const line of text.split('\n')) {
    const time = /^# (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(line)
    if (time) {
      const at = new Date(`${time[1]}T${time[2]}`)
      lines = Number.isNaN(at.getTime()) ? null : []
      if (lines) messages.push({ at, text: '' })
    } else if (line.startsWith('+') && lines) {
      lines.push(line.slice(1))
      messages.at(-1)!.text = lines.join('\n')
    }
  }
  return messages
}
