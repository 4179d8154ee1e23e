// One campaign in a process of its own, as run.ts starts it: the name of its file, and its own.
import { playCampaign } from './campaign.ts'

const [file, name] = process.argv.slice(2) as [string, string]
await import(`./${file}.torture.ts`)
const isWell = await playCampaign(name)
// What a world that broke has left open keeps no other from its turn.
process.exit(isWell ? 0 : 1)
