// Where this page is: `/r/<hash>` when it shows one of several repositories of a server, empty otherwise. All requests and
// links stay below it.
import { repositoryBase, splitRepository } from '../../../src/contract/dashboard/page-paths.ts'

const { hash } = splitRepository(typeof location === 'undefined' ? '/' : location.pathname)

export const BASE = hash === null ? '' : repositoryBase(hash)
