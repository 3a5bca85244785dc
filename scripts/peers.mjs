// Installs the other queues of `npm run bench:peers` in bench/peers.
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from './install.mjs'

const peers = fileURLToPath(new URL('../bench/peers', import.meta.url))

export async function preparePeers() {
  if (isInstalled(peers)) return
  console.error('Installing the queues of the comparison (once).')
  await install(peers)
}
