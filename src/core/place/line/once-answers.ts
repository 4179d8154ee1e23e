// What home asks of a host under an id is done once, also when home asks again because it did not hear the answer.

export interface OnceAnswers<T> {
  /** The answer that this id got before, or that `act` gives now. */
  answer(id: string, act: () => T): T
}

/** `most`: of the ids that are remembered. Home repeats a request for seconds, not after hundreds of others. */
export function createOnceAnswers<T>(most = 256): OnceAnswers<T> {
  const answers = new Map<string, T>()
  return {
    answer(id, act) {
      const before = answers.get(id)
      if (before !== undefined) return before
      const answer = act()
      answers.set(id, answer)
      if (answers.size > most) answers.delete(answers.keys().next().value!)
      return answer
    },
  }
}
