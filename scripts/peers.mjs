// Installs the queues that the PostgreSQL benchmark compares with, in bench/peers: nothing else needs them.
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from './install.mjs'

const peers = fileURLToPath(new URL('../bench/peers', import.meta.url))

export async function preparePeers() {
  if (isInstalled(peers)) return
  console.error('Installing the queues to compare with, which is done once.')
  await install(peers)
}
