// npm run torture -- simulation: thousands of worlds on a virtual clock, which die between any two writes: lives of the loop with its
// reactions, and lives of the train.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPaths } from '../src/store/paths.ts'
import { troubleOf } from '../test/landing/train-lives.ts'
import { simulate } from '../test/lifecycle/simulate.ts'
import { doubledMessages, endlessReactions, falseMemories, lostReactions } from '../test/lifecycle/simulation-oracle.ts'
import { createTempHome } from '../test/support/temp-home.ts'
import { campaign, triesOr } from './campaign.ts'

campaign('simulated worlds', async (one) => {
  const temp = createTempHome()
  one.afterwards(() => temp.cleanup())
  mkdirSync(join(temp.home, 'config'))
  const configPath = join(temp.home, 'config', 'agent-orchestrator.yaml')
  writeFileSync(configPath, '')
  const paths = createPaths({ configPath, home: temp.home, env: {} })
  mkdirSync(paths.project('app').locks, { recursive: true })
  for (let n = 0; n < triesOr(10_000); n++) {
    const seed = (one.seed + n) % 2 ** 31
    if (n % 100 === 0) one.judged()
    if (n % 2 === 0) {
      one.tried('trains')
      for (const what of await troubleOf(seed)) one.broken(`train, seed ${seed}: ${what}`)
      continue
    }
    one.tried('projects')
    const life = await simulate({ seed, paths })
    const keepsRecords = life.world.shownAfterMs !== null
    // An agent without records cannot say what it got when the loop died while messaging it: there losing is worse.
    const doubled = doubledMessages(life)
    const trouble = [
      ...life.contradictions,
      ...(keepsRecords || life.deaths === 0 ? doubled : doubled.slice(life.deaths)),
      ...lostReactions(life),
      ...endlessReactions(life),
      ...falseMemories(life),
      ...life.world.wrongs,
    ]
    for (const what of trouble) one.broken(`project, seed ${seed}: ${what}`)
  }
})
