// The line to one session in a place, as a program: `place-line <stateDir> <spawnId>`.
import { openEngine } from './open-engine.ts'
import { runLine } from './place/line/line.ts'

const [stateDir = '', spawnId = ''] = process.argv.slice(2)
await runLine(stateDir, spawnId, (spec) => openEngine(spec, process.env))
