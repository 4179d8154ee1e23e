// What the demo agent can be told to do. Data only: parsed from text, kept in its log, performed one by one.

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
  | { verb: 'ask'; question: string }
  | { verb: 'permission'; what: string }
  | { verb: 'fail'; message: string }
  | { verb: 'stuck' }
  | { verb: 'crash'; code: number }
  | { verb: 'exit'; code: number }
  | { verb: 'finish'; text: string }
  /** A line that is no step: said aloud when its turn comes, so that nothing is dropped in silence. */
  | { verb: 'unknown'; line: string; why: string }

/** Steps for a later message: `on ci-failed:` and what stands below it. Used once. */
export interface Reaction {
  on: string
  steps: Step[]
}

export interface Script {
  steps: Step[]
  reactions: Reaction[]
}
