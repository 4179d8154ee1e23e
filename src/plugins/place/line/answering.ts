// What answering a command of an agent in a place needs.
import type { CheckedAsk } from '../../../core/place/check-far-values.ts'
import type { LineSpec } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import type { Keep } from '../work/bring-home.ts'
import type { RecordAsk } from './record-ask.ts'

export interface Answering {
  far: Far
  spec: LineSpec
  /** The user's, for what is run here. */
  env: NodeJS.ProcessEnv
  keep: Keep
  /** Brings the work home first: a pull request is about commits. */
  save(wants?: readonly string[]): Promise<void>
  ask: CheckedAsk
  record: RecordAsk
  /** How many are being answered now. */
  open: { count: number }
}
