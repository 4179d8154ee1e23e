// What an agent reads after a restore whose resume left out its first message. Pure.

export function firstMessageAgain(message: string): string {
  return `${NOTE}\n\n${message}`
}

const NOTE = [
  'Your conversation was resumed, and its first message may be missing from it. Here it is again, for reference: it is the',
  'original task and the rules of this session, which you have been working on. Do not start over. Keep what is done, check the',
  'state of your work (git status, git log) if you are unsure, and continue where you stopped; if nothing is left to do, say so.',
].join('\n')
