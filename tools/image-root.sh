#!/bin/sh
# Fills the folder $1, the root of the container image: the libraries that Node needs, from Debian's packages, and the
# program $2 without its symbol table. It contains no shell, package manager or other program.
set -eu
root=$1
node=$2

apt-get update
command -v strip > /dev/null || apt-get install -y --no-install-recommends binutils

packages=$(mktemp -d)
(cd "$packages" && apt-get -o APT::Sandbox::User=root download base-files libatomic1 libc6 libgcc-s1 libstdc++6)
mkdir -p "$root/var/lib/dpkg/status.d"
# In alphabetical order: base-files creates the folders of the other packages.
for package in "$packages"/*.deb; do
  dpkg-deb --extract "$package" "$root"
  # Scanners read the packages and their versions from here.
  dpkg-deb --field "$package" > "$root/var/lib/dpkg/status.d/$(dpkg-deb --field "$package" Package)"
done
rm -r "$packages"

echo 'root:x:0:0:root:/:/sbin/nologin
selvedge:x:10001:10001:selvedge:/data:/sbin/nologin' > "$root/etc/passwd"
echo 'root:x:0:
selvedge:x:10001:' > "$root/etc/group"
install -d -o 10001 -g 10001 "$root/data"
install -d "$root/usr/local/bin"
strip -o "$root/usr/local/bin/node" "$node"
