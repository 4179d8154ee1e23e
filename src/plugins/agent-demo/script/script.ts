// What the demo agent can be instructed to do. Data only: parsed from text, kept in its log, performed one by one.

export type Step =
  | { verb: 'say'; text: string }
  | { verb: 'think'; seconds: number }
  | { verb: 'wait'; seconds: number }
  | { verb: 'write'; path: string; text: string }
  | { verb: 'append'; path: string; text: string }
  | { verb: 'edit'; path: string; from: string; to: string }
  | { verb: 'delete'; path: string }
  | { verb: 'run'; argv: string[] }
  | { verb: 'commit'; message: string }
  | { verb: 'push' }
  | { verb: 'merge-base' }
  | { verb: 'pr'; title: string }
  | { verb: 'review'; from: string; head: string }
  | { verb: 'ask'; question: string }
  | { verb: 'permission'; what: string }
  | { verb: 'fail'; message: string }
  | { verb: 'stuck' }
  | { verb: 'crash'; code: number }
  | { verb: 'exit'; code: number }
  | { verb: 'finish'; text: string }
  /** An invalid line: reported when its turn comes, so that nothing is dropped silently. */
  | { verb: 'unknown'; line: string; why: string }

/** Steps for a later message: `on ci-failed:` and the lines below it. Used once. */
export interface Reaction {
  on: string
  steps: Step[]
}

export interface Script {
  steps: Step[]
  reactions: Reaction[]
}
